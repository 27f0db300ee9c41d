import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Where Node looks for a package from inside another: its own node_modules, then those of the folders above. */
function* placesOf(name: string, from: string): Generator<string> {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    yield folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (folder === '') return;
  }
}

/** `npm ci` stops at a lock file that leaves out what one of its packages names, an optional package of another system included. */
test('the lock file holds every package that one of its packages depends on', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const missing = Object.entries(packages).flatMap(([folder, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => ![...placesOf(name, folder)].some((place) => place in packages))
      .map((name) => `${folder} needs ${name}`),
  );
  expect(missing).toEqual([]);
});
