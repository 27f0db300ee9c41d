import { Refusal } from '../../errors.js';
import type { Database } from '../database.js';
import type { Operator } from '../scope.js';

/**
 * Keeps calibrated weights of HYBRID's legs with a space, where every server reads them within a second. null: back to the
 * defaults. Throws `Refusal` NOT_FOUND.
 */
export async function saveWeights(
  database: Database,
  _operator: Operator,
  space: string,
  weights: { readonly vector: number; readonly text: number } | null,
): Promise<void> {
  const { matchedCount } = await database.spaces.updateOne(
    { _id: space },
    { $set: { weights: weights && { ...weights } } },
  );
  if (matchedCount === 0) throw new Refusal('NOT_FOUND', `There is no embedding space ${space}`);
}
