import { Refusal } from '../errors.js';
import type { UserError } from './schema.generated.js';

/** Runs a mutation: what the caller can act on becomes data beside an empty payload, everything else is thrown on. */
export async function withUserErrors<E extends object, T extends object>(
  empty: E,
  act: () => Promise<T>,
): Promise<(E | T) & { userErrors: UserError[] }> {
  try {
    return { ...(await act()), userErrors: [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...empty, userErrors: [userError(error)] };
  }
}

export function userError({ code, message, path }: Refusal): UserError {
  return { code, message, path: path === null ? null : [...path] };
}
