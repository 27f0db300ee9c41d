/** The numbers that shape a lane. Together in one place, so that tests can have small lanes that do all that large ones do. */
export interface LaneLimits {
  /** Rows of the segment in memory; one more seals it. */
  readonly activeRows: number;
  /** Up to so many matching rows every one is compared: the answer is exact. */
  readonly exactRows: number;
  /** Segments below this are scanned faster than a graph is searched: they get none. */
  readonly graphRows: number;
  /** Rows that can be scanned while a graph looks for one of its k. Measured at 512 dimensions: 4 µs against 0.1 µs. */
  readonly graphCost: number;
}

export const LANE_LIMITS: LaneLimits = { activeRows: 5_000, exactRows: 10_000, graphRows: 10_000, graphCost: 40 };
