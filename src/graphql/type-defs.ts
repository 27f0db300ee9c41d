import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The SDL of `schema/`, one string per file. Read from the project root, from the sources as well as from `dist/`. */
export function readTypeDefs(): readonly string[] {
  const directory = schemaDirectory();
  return readdirSync(directory)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => readFileSync(new URL(name, directory), 'utf8'));
}

function schemaDirectory(): URL {
  // src/graphql/type-defs.ts and dist/src/graphql/type-defs.js
  for (const up of ['../../schema/', '../../../schema/']) {
    const candidate = new URL(up, import.meta.url);
    if (existsSync(new URL('root.graphql', candidate))) return candidate;
  }
  throw new Error('The folder schema/ is missing beside src/ or dist/');
}
