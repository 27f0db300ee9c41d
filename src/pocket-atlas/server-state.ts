import type { FailPoints } from './commands/fail-points.js';
import type { Snapshots } from './commands/read/snapshots.js';
import type { CursorRegistry } from './cursors/cursor-registry.js';
import type { SearchManager } from './search/manager.js';
import type { SessionRegistry } from './sessions/session-registry.js';
import type { Engine } from './storage/engine.js';
import type { ClusterClock } from './wire/cluster-clock.js';

/** What all connections of one server share. */
export interface ServerState {
  readonly engine: Engine;
  readonly search: SearchManager;
  readonly sessions: SessionRegistry;
  readonly snapshots: Snapshots;
  readonly cursors: CursorRegistry;
  readonly failPoints: FailPoints;
  readonly clusterClock: ClusterClock;
  /** ms since 1970. */
  readonly now: () => number;
  readonly startedAt: number;
  readonly stopping: boolean;
  readonly connectionCount: number;
  readonly connectionsMax: number;
}
