import type { Doc } from '../bson/values.js';
import type { BuildEntry, IndexEntry } from './catalogue.js';

/** The states of a build; `$listSearchIndexes` shows them under Atlas's names. */
export type BuildPhase = 'pending' | 'building' | 'ready' | 'failed';

export interface BuildState {
  readonly phase: BuildPhase;
  readonly message?: string;
}

type Status = 'PENDING' | 'BUILDING' | 'READY' | 'FAILED';

const STATUS: Readonly<Record<BuildPhase, Status>> = {
  pending: 'PENDING',
  building: 'BUILDING',
  ready: 'READY',
  failed: 'FAILED',
};

/** What mongot calls the states in its own messages. */
export const MONGOT_STATE: Readonly<Record<BuildPhase, string>> = {
  pending: 'NOT_STARTED',
  building: 'INITIAL_SYNC',
  ready: 'STEADY',
  failed: 'FAILED',
};

const HOSTNAME = 'pocket-atlas';

/** A row of `$listSearchIndexes` (ATLAS.md §2.3). `numDocs` counts the rows of the index that answers. */
export function indexRow(entry: IndexEntry, main: BuildState, staged: BuildState | undefined, numDocs: number): Doc {
  const latest = entry.staged ?? entry.main;
  const status = overallStatus(main, staged);
  const queryable = main.phase === 'ready';
  return {
    id: entry.id,
    name: entry.name,
    type: entry.type,
    status,
    queryable,
    latestDefinitionVersion: versionDoc(latest),
    latestDefinition: structuredClone(latest.definition),
    statusDetail: [
      {
        hostname: HOSTNAME,
        status,
        queryable,
        mainIndex: buildDoc(entry.main, main),
        ...(entry.staged === null || staged === undefined ? {} : { stagedIndex: buildDoc(entry.staged, staged) }),
      },
    ],
    numDocs,
  };
}

/** Source: ATLAS.md §9.3: a staged failure shows, and an index that is not at its latest version is still building. */
function overallStatus(main: BuildState, staged: BuildState | undefined): Status {
  if (staged === undefined) return STATUS[main.phase];
  if (staged.phase === 'failed' || main.phase === 'failed') return 'FAILED';
  return 'BUILDING';
}

function buildDoc(build: BuildEntry, state: BuildState): Doc {
  return {
    status: STATUS[state.phase],
    queryable: state.phase === 'ready',
    definitionVersion: versionDoc(build),
    definition: structuredClone(build.definition),
    ...(state.message === undefined ? {} : { message: state.message }),
  };
}

function versionDoc(build: BuildEntry): Doc {
  return { version: build.version.version, createdAt: new Date(build.version.createdAt) };
}
