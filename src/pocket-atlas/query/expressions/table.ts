import { ARITHMETIC } from './arithmetic.js';
import { LOGIC } from './logic.js';
import type { OperatorTable } from './operator.js';

/** Every expression operator, by family. Source: MongoDB manual, "Expression Operators". */
export const OPERATORS: OperatorTable = {
  ...ARITHMETIC,
  ...LOGIC,
};
