import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** Reads the imports of all sources and holds them to the directions that DESIGN and docs/ARCHITECTURE.md give. */
const root = fileURLToPath(new URL('../', import.meta.url));

interface Import {
  readonly file: string;
  readonly to: string;
  readonly isType: boolean;
}

const IMPORT =
  /^(?:import|export)(\s+type)?\s[^'"]*?from\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

const files = ['src', 'scripts'].flatMap(sourcesUnder);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const imports: Import[] = files.flatMap((file) =>
  [...texts.get(file)!.matchAll(IMPORT)].map(([, isType, from, bare, dynamic]) => {
    const to = (from ?? bare ?? dynamic)!;
    return {
      file,
      to: to.startsWith('.') ? relative(root, join(root, dirname(file), to)).replace(/\.js$/, '.ts') : to,
      isType: isType !== undefined,
    };
  }),
);
const internal = imports.filter(({ to }) => to.startsWith('src/') || to.startsWith('scripts/'));
const external = imports.filter(({ to }) => !to.startsWith('src/') && !to.startsWith('scripts/'));

/** "graphql" for src/graphql/…, "app" for src/app.ts, "scripts" for all of scripts/. */
function partOf(file: string): string {
  const [top, next] = file.split('/') as [string, string];
  return top === 'scripts' ? 'scripts' : next.replace(/\.ts$/, '');
}

const LEAVES = ['analyzers', 'config', 'errors', 'compiled-url'];
/** What each part may import beside itself and the leaves. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  main: ['app'],
  app: ['graphql', 'answer', 'retrieve', 'ingest', 'store', 'embed', 'pocket-atlas'],
  graphql: ['answer', 'retrieve', 'ingest', 'store'],
  answer: ['retrieve', 'embed'],
  retrieve: ['store', 'embed'],
  ingest: ['store', 'embed'],
  store: [],
  embed: [],
  analyzers: [],
  config: [],
  errors: [],
  'compiled-url': [],
};

test('there is something to read', () => {
  expect(files.length).toBeGreaterThan(100);
  expect(internal.length).toBeGreaterThan(files.length);
});

describe('directions', () => {
  test.each(Object.entries(MAY_IMPORT))('%s imports only %j and the leaves', (part, allowed) => {
    const wrong = internal
      .filter(({ file }) => partOf(file) === part)
      .filter(({ to }) => partOf(to) !== part && !LEAVES.includes(partOf(to)) && !allowed.includes(partOf(to)))
      // store records are made of the embedder's types
      .filter(({ to, isType }) => !(part === 'store' && partOf(to) === 'embed' && isType));
    expect(wrong).toEqual([]);
  });

  test('Pocket Atlas imports nothing of ours outside itself', () => {
    const wrong = internal.filter(({ file, to }) => partOf(file) === 'pocket-atlas' && partOf(to) !== 'pocket-atlas');
    expect(wrong).toEqual([]);
  });

  test('only the composition root and scripts know Pocket Atlas', () => {
    const users = internal.filter(({ to, file }) => partOf(to) === 'pocket-atlas' && partOf(file) !== 'pocket-atlas');
    expect(new Set(users.map(({ file }) => partOf(file)))).toEqual(
      new Set(['app', ...(users.some(({ file }) => partOf(file) === 'scripts') ? ['scripts'] : [])]),
    );
  });

  test('every part is known here', () => {
    const parts = new Set(files.map(partOf));
    expect([...parts].filter((part) => !(part in MAY_IMPORT) && part !== 'scripts' && part !== 'pocket-atlas')).toEqual(
      [],
    );
  });
});

describe('packages', () => {
  const importers = (matches: (name: string) => boolean) =>
    new Set(external.filter(({ to }) => matches(to)).map(({ file }) => partOf(file)));

  test('only store/ talks to MongoDB', () => {
    expect(importers((name) => name === 'mongodb')).toEqual(new Set(['store']));
  });

  test('only graphql/ knows GraphQL, Apollo and HTTP', () => {
    const skin =
      /^(graphql|graphql-ws|fastify|ws|jose|prom-client|@apollo\/.*|@as-integrations\/.*|@graphql-tools\/.*)(\/|$)/;
    expect(importers((name) => skin.test(name))).toEqual(new Set(['graphql']));
  });

  test('only the settings read the environment', () => {
    const readers = files.filter((file) => /\bprocess\s*(\.|\[)\s*['"]?env\b/.test(withoutComments(texts.get(file)!)));
    expect(readers).toEqual(['src/config.ts']);
    expect(external.filter(({ to, file }) => to === 'node:process' && file !== 'src/config.ts')).toEqual([]);
  });
});

describe('identity', () => {
  /** Files of the server that import a name from store/scope.ts, other than as a type. */
  const importersOf = (name: string) =>
    sourcesUnder('src').filter((file) => {
      const found = [...texts.get(file)!.matchAll(/import\s+\{([^}]*)\}\s+from\s+['"][^'"]*\/scope\.js['"]/g)];
      return found.some(([, names]) =>
        names!.split(',').some((one) => one.trim() === name || one.trim().startsWith(`${name} as`)),
      );
    });

  test('a scope comes from credentials or from a stored job, and from nowhere else', () => {
    const makers = new Set(['src/graphql/context.ts', 'src/ingest/jobs/scope-of-job.ts']);
    expect(importersOf('makeScope').filter((file) => !makers.has(file))).toEqual([]);
    expect(importersOf('makeScope')).toContain('src/graphql/context.ts');
  });

  test('the operator is taken where the role is checked, and where the server acts for itself', () => {
    const allowed = /^src\/(graphql\/context|app|ingest\/.*|store\/.*)\.ts$/;
    expect(importersOf('operator').filter((file) => !allowed.test(file))).toEqual([]);
  });

  test('node ids are read and written in one file', () => {
    const encoders = files.filter(
      (file) => file.startsWith('src/graphql/') && /base64url/.test(withoutComments(texts.get(file)!)),
    );
    expect(encoders).toEqual(['src/graphql/node-id.ts']);
  });
});

test('no file imports itself, however far around', () => {
  const next = new Map<string, string[]>();
  for (const { file, to, isType } of internal) if (!isType) next.set(file, [...(next.get(file) ?? []), to]);
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    state.set(file, 'open');
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  expect(cycles).toEqual([]);
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
