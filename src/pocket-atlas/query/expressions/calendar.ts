/** Parts of a date whose UTC fields are the wall clock (see `wallClock`). Weeks as in ISO 8601 and in C's %U. */

const DAY_MS = 86_400_000;

export function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((startOfDay(date) - startOfDay(start)) / DAY_MS) + 1;
}

export function startOfDay(date: Date): number {
  return Math.floor(date.getTime() / DAY_MS) * DAY_MS;
}

/** 1 (Monday) to 7 (Sunday). */
export function isoDayOfWeek(date: Date): number {
  return date.getUTCDay() || 7;
}

/** Weeks begin on Sunday; days before the first Sunday are in week 0. */
export function weekOfYear(date: Date): number {
  return Math.floor((dayOfYear(date) + 6 - date.getUTCDay()) / 7);
}

/** The Thursday of the ISO week, whose year is the week's year. */
function thursday(date: Date): Date {
  return new Date(startOfDay(date) + (4 - isoDayOfWeek(date)) * DAY_MS);
}

export function isoWeekYear(date: Date): number {
  return thursday(date).getUTCFullYear();
}

export function isoWeek(date: Date): number {
  return Math.floor((dayOfYear(thursday(date)) - 1) / 7) + 1;
}

export { DAY_MS };
