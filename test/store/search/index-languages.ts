import { ObjectId } from 'mongodb';

/**
 * The two index filter languages as mongot is documented to evaluate them (ATLAS.md 1.6 and 3), over one flat row:
 * every operator looks for one element of an array, null does not match a missing field, types never mix.
 */
export type Row = ReadonlyMap<string, readonly unknown[]>;
type Doc = Record<string, unknown>;

export function passesVectorFilter(filter: Doc, row: Row): boolean {
  return Object.entries(filter).every(([key, value]) => {
    if (key === '$and') return nonEmpty(value).every((part) => passesVectorFilter(part, row));
    if (key === '$or') return nonEmpty(value).some((part) => passesVectorFilter(part, row));
    return passesOperators(value as Doc, row.get(key) ?? []);
  });
}

function passesOperators(operators: Doc, values: readonly unknown[]): boolean {
  return Object.entries(operators).every(([operator, operand]) => {
    switch (operator) {
      case '$eq':
        return values.some((value) => order(value, scalar(operand)) === 0);
      case '$in':
        return isIn(operand, values);
      case '$nin':
        return !isIn(operand, values);
      case '$exists':
        return operand === values.length > 0;
      case '$not':
        return !passesOperators(operand as Doc, values);
      default:
        return values.some((value) => bounded(value, operator.slice(1), operand));
    }
  });
}

export function passesTextClause(clause: Doc, row: Row): boolean {
  const [[operator, spec]] = Object.entries(clause) as [[string, Doc]];
  const values = row.get(spec.path as string) ?? [];
  switch (operator) {
    case 'equals':
      return values.some((value) => order(value, scalar(spec.value)) === 0);
    case 'in':
      return isIn(spec.value, values);
    case 'exists':
      return values.length > 0;
    case 'range': {
      const { path: _, ...bounds } = spec;
      const entries = Object.entries(bounds);
      if (entries.length === 0) throw new Error('must specify at least one of [lt, lte, gt, gte]');
      if (entries.some(([, bound]) => typeof bound === 'boolean')) throw new Error('range over Booleans');
      if ('gt' in bounds && 'gte' in bounds) throw new Error('only one of [gt, gte] may be present');
      if ('lt' in bounds && 'lte' in bounds) throw new Error('only one of [lt, lte] may be present');
      return values.some((value) => entries.every(([name, bound]) => bounded(value, name, bound)));
    }
    case 'compound':
      return passesCompound(spec, row);
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

function passesCompound(spec: Doc, row: Row): boolean {
  const { filter, should, mustNot, minimumShouldMatch, ...rest } = spec;
  if (Object.keys(rest).length > 0) throw new Error(`unknown clauses ${Object.keys(rest)}`);
  if (filter === undefined && should === undefined) return false;
  const matched = should === undefined ? 0 : nonEmpty(should).filter((part) => passesTextClause(part, row)).length;
  return (
    (filter === undefined || nonEmpty(filter).every((part) => passesTextClause(part, row))) &&
    (mustNot === undefined || !nonEmpty(mustNot).some((part) => passesTextClause(part, row))) &&
    matched >= ((minimumShouldMatch as number | undefined) ?? 0)
  );
}

function nonEmpty(value: unknown): Doc[] {
  if (!Array.isArray(value) || value.length === 0) throw new Error('cannot be empty');
  return value;
}

function isIn(operand: unknown, values: readonly unknown[]): boolean {
  const wanted = nonEmpty(operand) as unknown[];
  if (new Set(wanted.map(typeName)).size > 1) throw new Error('must have elements of the same type');
  return values.some((value) => wanted.some((one) => order(value, scalar(one)) === 0));
}

function scalar(value: unknown): unknown {
  if (value === null || value === undefined) throw new Error('null was sent');
  typeName(value);
  return value;
}

function typeName(value: unknown): string {
  if (value instanceof Date) return 'date';
  if (value instanceof ObjectId) return 'objectId';
  if (['string', 'number', 'boolean'].includes(typeof value)) return typeof value;
  throw new Error(`must be a boolean, objectId, number, string or date, got ${String(value)}`);
}

function order(a: unknown, b: unknown): number | null {
  if (typeName(a) !== typeName(b)) return null;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  if (a instanceof ObjectId) return a.equals(b as ObjectId) ? 0 : 1;
  return Number(a) - Number(b);
}

function bounded(value: unknown, operator: string, bound: unknown): boolean {
  const result = order(value, scalar(bound));
  if (result === null) return false;
  const tests: Record<string, boolean> = { gt: result > 0, gte: result >= 0, lt: result < 0, lte: result <= 0 };
  if (!(operator in tests)) throw new Error(`unrecognized field "${operator}"`);
  return tests[operator]!;
}
