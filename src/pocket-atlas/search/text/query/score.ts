import type { SpecReader } from '../../spec-reader.js';
import { plainNumber } from '../../spec-reader.js';
import type { Node } from './node.js';

/** `score` of an operator: boost by a number, or a constant. Other forms are refused. */
export function withScore(spec: SpecReader, node: Node): Node {
  const score = spec.optionalDocument('score');
  if (score === undefined) return node;
  score.only('boost', 'constant', 'function', 'dismax', 'embedded');
  const boost = score.optionalDocument('boost');
  const constant = score.optionalDocument('constant');
  for (const form of ['function', 'dismax', 'embedded']) {
    if (score.doc[form] !== undefined) score.fail(form, 'is not supported by this server: use boost or constant');
  }
  if ((boost === undefined) === (constant === undefined)) {
    return score.fail('boost', 'exactly one of [boost, constant] must be present');
  }
  if (constant !== undefined) {
    constant.only('value');
    return { kind: 'constant', child: node, value: numberOf(constant, 'value') };
  }
  if (boost!.doc.path !== undefined) boost!.fail('path', 'is not supported by this server: give a value');
  boost!.only('value');
  return { kind: 'boost', child: node, factor: numberOf(boost!, 'value') };
}

function numberOf(spec: SpecReader, field: string): number {
  const value = plainNumber(spec.doc[field]);
  if (value === undefined) return spec.fail(field, spec.doc[field] === undefined ? 'is required' : 'must be a number');
  return Number.isFinite(value) && value > 0 ? value : spec.fail(field, 'must be positive');
}
