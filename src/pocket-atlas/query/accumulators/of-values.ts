import type { CompileAccumulator } from '../accumulator.js';
import { location } from '../errors.js';
import { compileExpression } from '../expression.js';
import type { ValueAccumulator } from './value-accumulators.js';

export function ofValues(start: () => ValueAccumulator): CompileAccumulator {
  return (argument, variables, name) => {
    if (Array.isArray(argument) && argument.length !== 1) {
      throw location(40237, `The ${name} accumulator is a unary operator`);
    }
    const evaluate = compileExpression(Array.isArray(argument) ? argument[0] : argument, variables);
    return () => {
      const state = start();
      return {
        process: (doc) => state.add(evaluate(doc)),
        value: () => state.value(),
        get heldBytes() {
          return state.heldBytes ?? 0;
        },
      };
    };
  };
}
