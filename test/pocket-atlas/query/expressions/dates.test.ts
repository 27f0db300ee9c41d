import { Long, ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import type { BsonValue } from '../../../../src/pocket-atlas/bson/values.js';
import { checkAll, evaluate, failure } from '../check.js';

const doc = { d: new Date('2024-02-29T23:30:15.123Z'), n: null };

describe('dates', () => {
  it('have parts, in UTC or a zone', () => {
    checkAll(doc, [
      [{ $year: '$d' }, 2024],
      [{ $month: '$d' }, 2],
      [{ $dayOfMonth: ['$d'] }, 29],
      [{ $hour: '$d' }, 23],
      [{ $minute: '$d' }, 30],
      [{ $second: '$d' }, 15],
      [{ $millisecond: '$d' }, 123],
      [{ $dayOfWeek: '$d' }, 5],
      [{ $dayOfYear: '$d' }, 60],
      [{ $week: '$d' }, 8],
      [{ $isoWeek: '$d' }, 9],
      [{ $isoDayOfWeek: '$d' }, 4],
      [{ $isoWeekYear: new Date('2021-01-03T00:00:00Z') }, Long.fromNumber(2020)],
      [{ $isoWeek: new Date('2021-01-03T00:00:00Z') }, 53],
      [{ $dayOfMonth: { date: '$d', timezone: 'Europe/Berlin' } }, 1],
      [{ $hour: { date: '$d', timezone: '+05:30' } }, 5],
      [{ $hour: { date: '$d', timezone: 'America/New_York' } }, 18],
      [{ $year: new ObjectId('5ab9c3da31c2ab715d421285') }, 2018],
      [{ $year: '$n' }, null],
      [{ $year: { date: '$d', timezone: '$n' } }, null],
      [
        { $dateToParts: { date: '$d' } },
        { year: 2024, month: 2, day: 29, hour: 23, minute: 30, second: 15, millisecond: 123 },
      ],
      [{ $dateFromParts: { year: 2024, month: 14, day: 1 } }, new Date('2025-02-01T00:00:00Z')],
      [
        { $dateFromParts: { year: 2024, month: 7, hour: 12, timezone: 'Europe/Berlin' } },
        new Date('2024-07-01T10:00:00Z'),
      ],
      [{ $dateFromParts: { isoWeekYear: 2020, isoWeek: 53, isoDayOfWeek: 7 } }, new Date('2021-01-03T00:00:00Z')],
    ]);
  });

  it('become text and come back', () => {
    checkAll(doc, [
      [{ $dateToString: { date: '$d' } }, '2024-02-29T23:30:15.123Z'],
      [
        { $dateToString: { date: '$d', format: '%Y/%m/%d %H:%M:%S.%L %j %u %w %V %U %G %b %B %%' } },
        '2024/02/29 23:30:15.123 060 4 5 09 08 2024 Feb February %',
      ],
      [{ $dateToString: { date: '$d', format: '%H:%M %z %Z', timezone: 'Asia/Kolkata' } }, '05:00 +0530 330'],
      [{ $dateToString: { date: '$n' } }, null],
      [{ $dateToString: { date: '$n', onNull: '-' } }, '-'],
      [{ $dateFromString: { dateString: '2024-02-29T23:30:15.123Z' } }, doc.d],
      [
        { $dateFromString: { dateString: '2024-02-29', timezone: 'America/New_York' } },
        new Date('2024-02-29T05:00:00Z'),
      ],
      [
        { $dateFromString: { dateString: '29.2.2024 7:05', format: '%d.%m.%Y %H:%M' } },
        new Date('2024-02-29T07:05:00Z'),
      ],
      [{ $dateFromString: { dateString: 'x', onError: 'bad' } }, 'bad'],
      [{ $dateFromString: { dateString: '$n', onNull: 'none' } }, 'none'],
    ]);
  });

  it('move by units of the calendar', () => {
    checkAll({ ...doc, jan31: new Date('2023-01-31T00:00:00Z'), dst: new Date('2024-03-30T12:00:00Z') }, [
      [{ $dateAdd: { startDate: '$jan31', unit: 'month', amount: 1 } }, new Date('2023-02-28T00:00:00Z')],
      [{ $dateAdd: { startDate: '$d', unit: 'year', amount: 1 } }, new Date('2025-02-28T23:30:15.123Z')],
      [{ $dateAdd: { startDate: '$d', unit: 'hour', amount: 1 } }, new Date('2024-03-01T00:30:15.123Z')],
      [
        { $dateAdd: { startDate: '$dst', unit: 'day', amount: 1, timezone: 'Europe/Berlin' } },
        new Date('2024-03-31T11:00:00Z'),
      ],
      [{ $dateSubtract: { startDate: '$jan31', unit: 'quarter', amount: 1 } }, new Date('2022-10-31T00:00:00Z')],
      [{ $dateAdd: { startDate: '$n', unit: 'day', amount: 1 } }, null],
    ]);
  });

  it('are counted by the boundaries between them', () => {
    const between = (start: string, end: string, unit: string, more = {}): BsonValue => ({
      $dateDiff: { startDate: new Date(start), endDate: new Date(end), unit, ...more },
    });
    checkAll({}, [
      [between('2023-12-31T23:59:59Z', '2024-01-01T00:00:00Z', 'year'), Long.fromNumber(1)],
      [between('2024-01-01', '2024-03-31', 'quarter'), Long.fromNumber(0)],
      [between('2024-01-31', '2024-02-01', 'month'), Long.fromNumber(1)],
      [between('2024-01-01T23:00:00Z', '2024-01-02T01:00:00Z', 'day'), Long.fromNumber(1)],
      [between('2024-01-06', '2024-01-07', 'week'), Long.fromNumber(1)],
      [between('2024-01-06', '2024-01-07', 'week', { startOfWeek: 'monday' }), Long.fromNumber(0)],
      [between('2024-01-02', '2024-01-01', 'day'), Long.fromNumber(-1)],
      [between('2024-01-01T00:00:00Z', '2024-01-01T00:01:01Z', 'minute'), Long.fromNumber(1)],
    ]);
  });

  it('are cut down to the beginning of a bin', () => {
    const cut = (unit: string, more = {}): BsonValue => ({ $dateTrunc: { date: '$d', unit, ...more } });
    checkAll(doc, [
      [cut('year'), new Date('2024-01-01T00:00:00Z')],
      [cut('quarter'), new Date('2024-01-01T00:00:00Z')],
      [cut('month'), new Date('2024-02-01T00:00:00Z')],
      [cut('week'), new Date('2024-02-25T00:00:00Z')],
      [cut('week', { startOfWeek: 'monday' }), new Date('2024-02-26T00:00:00Z')],
      [cut('day'), new Date('2024-02-29T00:00:00Z')],
      [cut('hour', { binSize: 6 }), new Date('2024-02-29T18:00:00Z')],
      [cut('day', { timezone: 'Europe/Berlin' }), new Date('2024-02-29T23:00:00Z')],
      [cut('minute', { binSize: 15 }), new Date('2024-02-29T23:30:00Z')],
    ]);
  });

  it.each<[BsonValue, number, string]>([
    [{ $year: 'x' }, 16006, "can't convert from BSON type string to Date"],
    [{ $hour: { date: new Date(0), timezone: 'Mars/Base' } }, 40485, 'unrecognized time zone identifier: "Mars/Base"'],
    [{ $dateToString: { date: new Date(0), format: '%q' } }, 18536, "Invalid format character '%q' in format string"],
    [{ $dateToString: { date: new Date(0), format: '%' } }, 18535, "Unmatched '%' at end of format string"],
    [
      { $dateTrunc: { date: new Date(0), unit: 'eon' } },
      9,
      "$dateTrunc parameter 'unit' value cannot be recognized as a time unit: eon",
    ],
  ])('refuses %j', (expression, code, message) => {
    expect(failure(() => evaluate(expression))).toEqual({ code, message });
  });
});
