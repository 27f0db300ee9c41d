/**
 * Tests of the unified suites that Pocket Atlas does not pass on purpose, with the reason: what they need is refused with a
 * typed error, as documented. A test that is listed here and passes makes the suite fail, so the list stays true.
 */
export interface Exclusion {
  /** `area/file` without `.json`; a RegExp over `area/file: description`. */
  readonly tests: RegExp;
  readonly reason: string;
}

export const EXCLUSIONS: readonly Exclusion[] = [];

export function exclusionOf(name: string): Exclusion | undefined {
  return EXCLUSIONS.find(({ tests }) => tests.test(name));
}
