import { ARITHMETIC } from './arithmetic.js';
import { ARRAYS } from './arrays.js';
import { CONVERSION } from './conversion.js';
import { DATE_ARITHMETIC } from './date-arithmetic.js';
import { DATE_PARTS } from './date-parts.js';
import { DATE_TEXT } from './date-text.js';
import { ITERATION } from './iteration.js';
import { LOGIC } from './logic.js';
import { OBJECTS } from './objects.js';
import type { OperatorTable } from './operator.js';
import { REGEX_SEARCH } from './regex-search.js';
import { SETS } from './sets.js';
import { SIZES } from './sizes.js';
import { STRINGS } from './strings.js';
import { TOTALS } from './totals.js';

/** Every expression operator, by family. Source: MongoDB manual, "Expression Operators". */
export const OPERATORS: OperatorTable = {
  ...ARITHMETIC,
  ...LOGIC,
  ...STRINGS,
  ...REGEX_SEARCH,
  ...ARRAYS,
  ...ITERATION,
  ...OBJECTS,
  ...SETS,
  ...TOTALS,
  ...CONVERSION,
  ...DATE_PARTS,
  ...DATE_TEXT,
  ...DATE_ARITHMETIC,
  ...SIZES,
};
