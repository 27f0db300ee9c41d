import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** RFC 3339 with seconds and an offset: what `Date` parses beyond that (dates alone, local times) is ambiguous. */
const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

export const DateTime = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  serialize: (value) => {
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
    throw new TypeError('DateTime serialises Date objects only');
  },
  parseValue: parseDateTime,
  parseLiteral: (node) => parseDateTime(node.kind === Kind.STRING ? node.value : undefined),
});

function parseDateTime(value: unknown): Date {
  const match = typeof value === 'string' ? RFC_3339.exec(value) : null;
  const date = match === null ? null : new Date(value as string);
  if (match === null || date === null || Number.isNaN(date.getTime()) || !isCalendarDay(match))
    throw new GraphQLError('Expected an RFC 3339 date-time such as 2026-01-31T12:00:00Z', {
      extensions: { code: 'BAD_USER_INPUT' },
    });
  return date;
}

/** `Date` turns 30 February into 2 March. */
function isCalendarDay([, year, month, day]: RegExpExecArray): boolean {
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number(day) >= 1 && Number(day) <= days;
}
