import { CommandError } from '../errors.js';

// The server's numbers that queries raise most; the rare ones are written where they are raised.
export const badValue = (message: string): CommandError => new CommandError(2, message);
export const failedToParse = (message: string): CommandError => new CommandError(9, message);
export const typeMismatch = (message: string): CommandError => new CommandError(14, message);
export const location = (code: number, message: string): CommandError => new CommandError(code, message);

/** A part of MQL that Pocket Atlas lacks, said in so many words where the server has no error for it. */
export const notSupported = (what: string): CommandError =>
  new CommandError(115, `${what} is not supported by Pocket Atlas`);
