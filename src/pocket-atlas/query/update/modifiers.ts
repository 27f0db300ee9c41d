import type { BsonValue, Doc } from '../../bson/values.js';
import { describe } from '../describe.js';
import { badValue, failedToParse } from '../errors.js';
import { typeOf } from '../expressions/operator.js';
import { fieldOf, isDocument } from '../path.js';
import { ARRAY_MODIFIERS } from './array-modifiers.js';
import { FIELD_MODIFIERS, idOf, type ModifierContext } from './field-modifiers.js';
import type { LeafContext, UpdateLeaf } from './node.js';
import { checkUpdatePath, identifiersIn, isPositional } from './paths.js';

/** One path of a modifier update. */
export interface PathUpdate {
  readonly path: string;
  readonly leaf: UpdateLeaf;
}

const MODIFIERS = { ...FIELD_MODIFIERS, ...ARRAY_MODIFIERS };

/** Parses `{ $set: { … }, $inc: { … } }`. @throws CommandError 9 FailedToParse for an unknown modifier, and others. */
export function parseModifiers(update: Doc, context: ModifierContext): PathUpdate[] {
  return Object.entries(update).flatMap(([name, fields]) => {
    const isKnown = name === '$rename' || Object.hasOwn(MODIFIERS, name);
    if (!isKnown) {
      throw failedToParse(
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDocument(fields)) {
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeOf(fields)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${describe(fields)}}`,
      );
    }
    return Object.entries(fields).flatMap(([path, argument]) => {
      checkUpdatePath(path);
      if (name === '$rename') return rename(path, argument);
      const leaf = MODIFIERS[name]!(argument, path, context);
      return leaf === undefined ? [] : [{ path, leaf }];
    });
  });
}

/** A rename is two updates: the source goes, the target takes the value that the source had. */
function rename(source: string, target: BsonValue): PathUpdate[] {
  if (typeof target !== 'string') {
    throw badValue(`The 'to' field for $rename must be a string: ${source}: ${describe(target)}`);
  }
  checkUpdatePath(target);
  if (source === target) {
    throw badValue(`The source and target field for $rename must differ: ${source}: ${describe(target)}`);
  }
  if (target.startsWith(`${source}.`) || source.startsWith(`${target}.`)) {
    throw badValue(
      `The source and target field for $rename must not be on the same path: ${source}: ${describe(target)}`,
    );
  }
  for (const [role, path] of [
    ['source', source],
    ['destination', target],
  ] as const) {
    if (isPositional(path) || identifiersIn(path).length > 0 || path.includes('$[]')) {
      throw badValue(`The ${role} field for $rename may not be dynamic: ${path}`);
    }
  }
  return [
    { path: source, leaf: { kind: 'leaf', createsPath: false, apply: () => undefined } },
    {
      path: target,
      leaf: {
        kind: 'leaf',
        createsPath: true,
        apply: (value, context) => {
          const moved = valueToRename(source, context);
          refuseArrayOnTheWay('destination', target, context);
          return moved === undefined ? value : moved;
        },
      },
    },
  ];
}

function valueToRename(source: string, context: LeafContext): BsonValue {
  refuseArrayOnTheWay('source', source, context);
  let value: BsonValue = context.root;
  for (const part of source.split('.')) value = isDocument(value) ? fieldOf(value, part) : undefined;
  return value;
}

function refuseArrayOnTheWay(role: string, path: string, context: LeafContext): void {
  const parts = path.split('.');
  let value: BsonValue = context.root;
  for (const [index, part] of parts.entries()) {
    if (Array.isArray(value)) {
      throw badValue(
        `The ${role} field cannot be an array element, '${path}' in doc with ${idOf(context).slice(1, -1)} has an array field called '${parts[index - 1]}'`,
      );
    }
    value = isDocument(value) ? fieldOf(value, part) : undefined;
  }
}
