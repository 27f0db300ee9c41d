import { AppError } from '../errors.js';

/** The typed "not yet". Callers check roles first, so that a caller without the role learns FORBIDDEN as it later will. */
export function notImplemented(what: string, ..._checked: unknown[]): never {
  throw new AppError('NOT_IMPLEMENTED', `\`${what}\` is not built yet`, { details: { feature: what } });
}
