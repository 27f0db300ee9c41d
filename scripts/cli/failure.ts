/** Something to tell the user in one line instead of a stack. */
export class CliFailure extends Error {
  readonly exitCode: 1 | 2;

  /** 1: it was tried and failed. 2: the command line was wrong. */
  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'CliFailure';
    this.exitCode = exitCode;
  }
}

export function usageFailure(message: string): CliFailure {
  return new CliFailure(message, 2);
}
