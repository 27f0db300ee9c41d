import type { CompileAccumulator } from '../accumulator.js';
import { COLLECTING } from './collecting.js';
import { NUMERIC } from './numeric.js';
import { SELECTING } from './selecting.js';

/** Source: MongoDB manual, "Accumulator Operators". */
export const ACCUMULATORS: Readonly<Record<string, CompileAccumulator>> = { ...NUMERIC, ...COLLECTING, ...SELECTING };
