import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Binary } from 'bson';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { subjectVectors } from '../../../../bench/vector-search/subject-vectors.js';
import type { Doc } from '../../../../src/pocket-atlas/bson/values.js';
import { type FixtureOptions, type SearchFixture, searchFixture, until } from '../search-fixture.js';

const DIMENSIONS = 16;
/** Lanes of a few hundred rows do all that large ones do. */
const LIMITS = { activeRows: 100, exactRows: 200, graphRows: 200, graphCost: 1 };

const definition = {
  fields: [
    { type: 'vector', path: 'v', numDimensions: DIMENSIONS, similarity: 'cosine' },
    { type: 'filter', path: 'owner' },
  ],
};

let fixture: SearchFixture;
afterEach(() => fixture?.close());

const vectors = subjectVectors(DIMENSIONS, 10, 1);
const docOf = (_id: number): Doc & { vector: Float32Array } => {
  const vector = vectors.next(_id % 10);
  return { _id, owner: `o${_id % 4}`, v: Binary.fromFloat32Array(vector), vector } as never;
};

/** A collection with an index whose state is what the file names: sealed segments, one with a graph, and an active one. */
async function indexed(count: number, options: FixtureOptions = {}): Promise<Map<number, Float32Array>> {
  fixture = await searchFixture({ limits: LIMITS, ...options });
  const live = new Map<number, Float32Array>();
  const docs = Array.from({ length: count }, (_, i) => docOf(i + 1));
  for (const { _id, vector } of docs) live.set(_id as number, vector);
  await fixture.insert(docs.map(({ vector: _, ...doc }) => doc));
  await fixture.createIndex('v', definition);
  await fixture.untilReady('v');
  await fixture.instances.at(-1)!.settle();
  return live;
}

async function expectAll(live: ReadonlyMap<number, Float32Array>, step = 13): Promise<void> {
  expect(fixture.rows()[0]!.numDocs).toBe(live.size);
  for (const [_id, vector] of live) {
    if (_id % step !== 0) continue;
    const queryVector = Binary.fromFloat32Array(vector);
    expect((await fixture.search({ queryVector, limit: 1, numCandidates: 100 }))[0]?._id).toBe(_id);
    const own = { queryVector, limit: 3, numCandidates: 100, filter: { owner: `o${_id % 4}` } };
    const found = await fixture.search(own);
    expect(found[0]?._id).toBe(_id);
    expect(found.every((hit) => (hit._id as number) % 4 === _id % 4)).toBe(true);
  }
}

async function change(live: Map<number, Float32Array>): Promise<void> {
  const removed = [...live.keys()].filter((_id) => _id % 2 === 0);
  const replaced = [...live.keys()].filter((_id) => _id % 2 === 1 && _id % 3 === 0).map(docOf);
  for (const _id of removed) live.delete(_id);
  for (const { _id, vector } of replaced) live.set(_id as number, vector);
  await fixture.remove(...removed);
  await fixture.replace(...replaced.map(({ vector: _, ...doc }) => doc));
  await fixture.untilFed();
}

describe('a vector index after a restart', () => {
  it.each([90, 900])('answers as before: %i rows, half deleted and a third replaced', async (count) => {
    const live = await indexed(count);
    await change(live);
    await expectAll(live);
    const { buildId } = await onlyBuild();
    await fixture.restart();
    await fixture.untilReady('v');
    await expectAll(live);
    // It was opened, not built again.
    expect((await onlyBuild()).buildId).toBe(buildId);
    await fixture.instances.at(-1)!.settle();
    await fixture.restart();
    await fixture.untilReady('v');
    await expectAll(live);
  });

  it('catches up with what was committed while it was not running', async () => {
    const live = await indexed(300, { lagMs: 0 });
    const { engine, manager } = fixture;
    await manager.close();
    await fixture.remove(1, 2, 3);
    for (const _id of [1, 2, 3]) live.delete(_id);
    const { vector, ...doc } = docOf(1_001);
    await fixture.insert([doc]);
    live.set(1_001, vector);
    expect(engine.oplog.latest).toBeGreaterThan(0);
    await fixture.restart();
    await fixture.untilReady('v');
    await fixture.untilFed();
    await expectAll(live, 1);
  });

  it('keeps the graph that it had', async () => {
    await indexed(900);
    const hasGraph = () => fixture.instances.at(-1)!.sealedSegments.some((segment) => segment.hasGraph);
    expect(hasGraph()).toBe(true);
    await fixture.restart();
    await fixture.untilReady('v');
    expect(hasGraph()).toBe(true);
  });
});

async function onlyBuild(): Promise<{ buildId: string; directory: string; files: string[] }> {
  const root = join(fixture.dataDir, 'search-vectors');
  const builds = await readdir(root);
  expect(builds).toHaveLength(1);
  const directory = join(root, builds[0]!);
  return { buildId: builds[0]!, directory, files: await readdir(directory) };
}

/** What `indexed` makes, once for many tests: each opens a copy of its own. */
interface Template {
  readonly directory: string;
  readonly live: ReadonlyMap<number, Float32Array>;
}

async function makeTemplate(count: number): Promise<Template> {
  const live = await indexed(count);
  await fixture.manager.close();
  await fixture.engine.close();
  return { directory: fixture.dataDir, live };
}

async function copyOf({ directory, live }: Template) {
  const dataDir = await mkdtemp(join(tmpdir(), 'gazetteer-search-'));
  await cp(directory, dataDir, { recursive: true });
  return { dataDir, live: new Map(live) };
}

async function openCopy(template: Template): Promise<Map<number, Float32Array>> {
  const { dataDir, live } = await copyOf(template);
  fixture = await searchFixture({ limits: LIMITS, dataDir });
  await fixture.untilReady('v');
  return live;
}

let sealed: Template;
beforeAll(async () => {
  sealed = await makeTemplate(450);
  fixture = undefined as never;
});
afterAll(() => rm(sealed.directory, { recursive: true, force: true }));

describe('damaged files', () => {
  const flip = async (path: string) => {
    const bytes = await readFile(path);
    bytes[bytes.length >> 1]! ^= 0xff;
    await writeFile(path, bytes);
  };
  const cut = async (path: string) => truncate(path, (await stat(path)).size - 1);
  const empty = async (path: string) => truncate(path, 0);
  const damages = { flip, cut, empty };

  it.each(
    ['columns', 'codes', 'vectors', 'graph'].flatMap((file) =>
      Object.keys(damages).map((damage) => [file, damage] as [string, keyof typeof damages]),
    ),
  )('of kind %s, by %s, are found and built again', async (file, damage) => {
    const live = await openCopy(sealed);
    await fixture.restart(async () => {
      const { directory, files } = await onlyBuild();
      const path = files.find((name) => name.endsWith(`.${file}`));
      await damages[damage](join(directory, path!));
    });
    await fixture.untilReady('v');
    // A vector is checked when it is read: a search that meets the damage fails, and the index is built anew.
    for (const vector of live.values()) {
      await fixture.search({ queryVector: Binary.fromFloat32Array(vector), limit: 5, exact: true }).catch(() => {});
    }
    await until(() => fixture.rows()[0]?.status === 'READY', 'the index answers again');
    await expectAll(live);
  });

  it('that are missing are as good as damaged', async () => {
    const live = await openCopy(sealed);
    await fixture.restart(async () => {
      const { directory } = await onlyBuild();
      await rm(directory, { recursive: true });
    });
    await fixture.untilReady('v');
    await expectAll(live);
  });

  it('do not keep strays of a crash', async () => {
    await openCopy(sealed);
    const { directory, files } = await onlyBuild();
    await fixture.restart(async () => {
      for (const name of ['s99.codes', 's0.graph.tmp', 'x']) await writeFile(join(directory, name), 'stray');
    });
    await fixture.untilReady('v');
    expect((await onlyBuild()).files.sort()).toEqual(files.sort());
  });
});

describe('a server killed', () => {
  // The child builds over and over; each time it is killed at another moment of sealing, merging or building a graph.
  it.each([0, 40, 120, 250, 500])(
    '%i ms into a build leaves what can be opened, and the index is right',
    async (delayMs) => {
      const { dataDir, live } = await copyOf(sealed);
      const later = { fields: [...definition.fields, { type: 'filter', path: '_id' }] };
      const script = fileURLToPath(new URL('./build-and-hold.mjs', import.meta.url));
      const child = fork(script, [dataDir, JSON.stringify({ limits: LIMITS, definition: later })], { execArgv: [] });
      const exited = once(child, 'exit');
      onTestFinished(() => void child.kill('SIGKILL'));
      const [first] = await Promise.race([once(child, 'message'), exited]);
      expect(first).toBe('building');
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      child.kill('SIGKILL');
      await exited;
      // The child had its index rebuilt under a later definition, and removed the records that it says.
      fixture = await searchFixture({ limits: LIMITS, dataDir });
      await fixture.untilReady('v');
      await fixture.untilFed();
      for (const _id of [...live.keys()]) if (_id % 5 === 0) live.delete(_id);
      await expectAll(live, 7);
      const entry = fixture.rows()[0]!;
      expect(entry.latestDefinitionVersion).toMatchObject({ version: 1 });
    },
  );
});
