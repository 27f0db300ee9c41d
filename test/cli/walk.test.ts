import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFiles } from '../../scripts/cli/walk.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gazetteer-walk-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function make(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

const find = (...paths: string[]) => findFiles(paths, { hidden: false, cwd: folder });
const titles = async (...paths: string[]) => (await find(...paths)).files.map((file) => file.title);

test('ends in a tree with a link to its own parent, and passes over what is hidden, ignored or installed', async () => {
  make({
    'tree/.env': 'TOKEN=SECRET',
    'tree/.git/config': '[core]',
    'tree/node_modules/x/README.md': 'somebody else’s',
    'tree/keep.md': 'kept',
    'tree/pkg/readme.md': 'kept too',
    'tree/pkg/settings.txt': 'ignored',
    'tree/pkg/.gitignore': '*.txt\nbuild/\n',
    'tree/pkg/build/out.md': 'built',
    'tree/picture.png': 'not a text',
  });
  symlinkSync('..', join(folder, 'tree/pkg/up'));
  symlinkSync('keep.md', join(folder, 'tree/again.md'));
  const { files, skipped } = await find('tree');
  expect(files.map((file) => file.title)).toEqual(['keep.md', 'pkg/readme.md']);
  expect(skipped).toEqual({ hidden: 3, ignored: 2, link: 2, 'dependency folder': 1, 'other kind of file': 1 });
});

test('a nested .gitignore has the last word, as in git', async () => {
  make({
    '.gitignore': '*.md\n/top.txt\n',
    'a.md': '',
    'top.txt': '',
    'sub/top.txt': '',
    'sub/.gitignore': '!b.md\n',
    'sub/b.md': '',
    'sub/c.md': '',
  });
  expect(await titles('.')).toEqual(['sub/b.md', 'sub/top.txt']);
});

test('hidden files come on request, those of git never', async () => {
  make({ '.notes/a.md': '', '.git/b.md': '', '.c.md': '', 'd.md': '' });
  const { files } = await findFiles(['.'], { hidden: true, cwd: folder });
  expect(files.map((file) => file.title)).toEqual(['.c.md', '.notes/a.md', 'd.md']);
});

test('titles are relative to the folder given, to the working directory for files and globs', async () => {
  make({ 'docs/a.md': '', 'docs/deep/b.html': '', 'docs/deep/c.bin': '' });
  expect(await titles('docs')).toEqual(['a.md', 'deep/b.html']);
  expect(await titles('docs/a.md')).toEqual(['docs/a.md']);
  expect(await titles('docs/**/*.html')).toEqual(['docs/deep/b.html']);
  expect(await titles(join(folder, 'docs/deep/b.html'))).toEqual(['docs/deep/b.html']);
});

test('a file that is named is taken whatever its extension; the same one twice is taken once', async () => {
  make({ 'README.unknown': 'x' });
  const { files } = await find('README.unknown', './README.unknown');
  expect(files).toEqual([expect.objectContaining({ title: 'README.unknown', sizeBytes: 1 })]);
});

test('two files that would share a title are refused, before one overwrites the other', async () => {
  make({ 'one/a.md': '1', 'two/a.md': '2' });
  await expect(find('one', 'two')).rejects.toThrow('would both be titled "a.md"');
});

test.each(['missing.md', '*.nothing'])('%s, which is not there, is said by name', async (path) => {
  await expect(find(path)).rejects.toThrow(path);
});
