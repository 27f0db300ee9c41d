// RFC 3339 section 5.6; seconds may be 60 there, which no Date can hold, and so it is refused by the range check below.
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/** The instant that an RFC 3339 date-time names, to the millisecond; null when the string is none (dates like 30 February included). */
export function parseInstant(text: string): Date | null {
  const match = DATE_TIME.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  if (match[8] !== undefined && (Number(match[8]) > 23 || Number(match[9]) > 59)) return null;
  const instant = new Date(text.toUpperCase().replace(' ', 'T'));
  return Number.isNaN(instant.getTime()) ? null : instant;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
