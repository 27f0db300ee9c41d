import { AppError } from '../errors.js';

/** For what was there when the operation listed it and is gone now that a field of it is read. */
export function disappeared(what: 'document' | 'chunk'): never {
  throw new AppError(
    'STORE_UNAVAILABLE',
    `The ${what} was changed or deleted while this request read it: send the request again`,
    { details: { retryable: true } },
  );
}
