import { Long } from 'bson';
import type { BsonValue } from '../../bson/values.js';
import { location } from '../errors.js';
import { count, isNumeric } from '../numeric.js';
import { compileArguments, namedArguments } from './arguments.js';
import { asDate, evaluateZone } from './date-parts.js';
import { addUnits, dateUnit, truncateDate, unitsBetween, weekday } from './date-units.js';
import { isNullish, type Operator, type OperatorTable, typeOf } from './operator.js';

export const DATE_ARITHMETIC: OperatorTable = {
  $dateAdd: shift(1),
  $dateSubtract: shift(-1),
  $dateDiff: difference,
  $dateTrunc: truncate,
};

function shift(sign: 1 | -1): Operator {
  return (argument, context, name) => {
    const given = compileArguments(
      namedArguments(name, argument, ['startDate', 'unit', 'amount'], ['timezone']),
      context,
    );
    return (current) => {
      const start = given.startDate!(current);
      const unit = given.unit!(current);
      const amount = given.amount!(current);
      const zone = evaluateZone(given.timezone, current);
      if (isNullish(start) || isNullish(unit) || isNullish(amount) || zone === undefined) return null;
      const steps = isNumeric(amount) ? count(amount) : undefined;
      if (steps === undefined) throw location(5166405, `${name} expects integer amount of time units`);
      const result = addUnits(asDate(start), dateUnit(unit, name), steps * sign, zone);
      if (Number.isNaN(result.getTime())) throw location(5166406, `${name} overflowed`);
      return result;
    };
  };
}

function difference(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = compileArguments(
    namedArguments(name, argument, ['startDate', 'endDate', 'unit'], ['timezone', 'startOfWeek']),
    context,
  );
  return (current) => {
    const [start, end, unit] = [given.startDate!(current), given.endDate!(current), given.unit!(current)];
    const zone = evaluateZone(given.timezone, current);
    if (isNullish(start) || isNullish(end) || isNullish(unit) || zone === undefined) return null;
    const first = startOfWeek(given.startOfWeek?.(current), name);
    return Long.fromNumber(unitsBetween(asDate(start), asDate(end), dateUnit(unit, name), zone, first));
  };
}

/** Weeks begin on Sunday unless told otherwise. */
function startOfWeek(value: BsonValue, name: string): number {
  return isNullish(value) ? 0 : weekday(value, name);
}

function truncate(...[argument, context, name]: Parameters<Operator>): ReturnType<Operator> {
  const given = compileArguments(
    namedArguments(name, argument, ['date', 'unit'], ['binSize', 'timezone', 'startOfWeek']),
    context,
  );
  return (current) => {
    const date = given.date!(current);
    const unit = given.unit!(current);
    const size = given.binSize === undefined ? 1 : given.binSize(current);
    const zone = evaluateZone(given.timezone, current);
    if (isNullish(date) || isNullish(unit) || isNullish(size) || zone === undefined) return null;
    const binSize = isNumeric(size) ? count(size) : undefined;
    if (binSize === undefined || binSize <= 0) {
      throw location(5439017, `$dateTrunc requires 'binSize' to be a positive 64-bit integer, but got ${typeOf(size)}`);
    }
    const first = startOfWeek(given.startOfWeek?.(current), name);
    return truncateDate(asDate(date), dateUnit(unit, name), binSize, zone, first);
  };
}
