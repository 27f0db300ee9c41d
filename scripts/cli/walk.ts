import { type Dirent, existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { glob, isDynamicPattern } from 'tinyglobby';
import { CliFailure } from './failure.js';
import { isReadable } from './readable-kinds.js';

export interface FoundFile {
  readonly path: string;
  /** The document's title: the path from the folder that was given, with forward slashes. */
  readonly title: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** The folder that was given; null for files and globs. */
  readonly root: string | null;
}

/** Why something was passed over. */
export const SKIP_REASONS = ['hidden', 'ignored', 'link', 'dependency folder', 'other kind of file'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface Found {
  readonly files: readonly FoundFile[];
  readonly skipped: Readonly<Record<SkipReason, number>>;
}

/** Installed packages are somebody else's documents, and thousands of them. */
const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'bower_components', '__pycache__']);
/** A tree that is deeper is a mistake. Links are not followed, so this is no guard against loops. */
const MAX_DEPTH = 100;
const MAX_FILES = 1_000_000;

/**
 * Finds the documents behind the arguments of `ingest`: files, folders, globs. In folders `.gitignore` and
 * `.gazetteerignore` files count, nested ones too; links are not followed; hidden files are taken on request only. Throws `CliFailure`.
 */
export async function findFiles(
  arguments_: readonly string[],
  options: { hidden: boolean; cwd: string },
): Promise<Found> {
  const walk: Walk = {
    hidden: options.hidden,
    files: [],
    skipped: Object.fromEntries(SKIP_REASONS.map((reason) => [reason, 0])) as Record<SkipReason, number>,
  };
  for (const argument of arguments_) await findArgument(walk, argument, options.cwd);
  walk.files.sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0));
  const files = withoutRepeats(walk.files);
  return { files, skipped: walk.skipped };
}

interface Walk {
  readonly hidden: boolean;
  readonly files: FoundFile[];
  readonly skipped: Record<SkipReason, number>;
}

async function findArgument(walk: Walk, argument: string, cwd: string): Promise<void> {
  const path = resolve(cwd, argument);
  if (existsSync(path)) {
    if ((await stat(path)).isDirectory()) await findInFolder(walk, path);
    else await addNamedFile(walk, path, titleFrom(cwd, path), null);
    return;
  }
  if (!isDynamicPattern(argument)) throw new CliFailure(`${argument}: no such file or folder`);
  const matches = await glob(argument, { cwd, absolute: true, dot: walk.hidden, followSymbolicLinks: false });
  if (matches.length === 0) throw new CliFailure(`${argument}: matches no file`);
  for (const match of matches) await addFile(walk, resolve(match), titleFrom(cwd, match), null);
}

/** A path outside of the working directory is known by its name alone. */
function titleFrom(root: string, path: string): string {
  const title = relative(root, path);
  return (title.startsWith('..') ? path.split(sep).at(-1)! : title).split(sep).join('/');
}

/** The rules of one ignore file, for paths below its folder. */
interface Rules {
  readonly folder: string;
  readonly matcher: Ignore;
}

async function findInFolder(walk: Walk, root: string): Promise<void> {
  await walkFolder(walk, root, root, [], 0);
}

async function walkFolder(
  walk: Walk,
  root: string,
  folder: string,
  outer: readonly Rules[],
  depth: number,
): Promise<void> {
  if (depth > MAX_DEPTH) throw new CliFailure(`${folder}: folders are nested more than ${MAX_DEPTH} deep`);
  const rules = [...outer, ...(await ownRules(folder))];
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const reason = skipReason(walk, entry, path, rules);
    if (reason !== null) walk.skipped[reason] += 1;
    else if (entry.isDirectory()) await walkFolder(walk, root, path, rules, depth + 1);
    else if (entry.isFile()) await addFile(walk, path, titleFrom(root, path), root);
  }
}

/** Later ones have the last word: what git keeps may be no document. */
const IGNORE_FILES = ['.gitignore', '.gazetteerignore'];

async function ownRules(folder: string): Promise<Rules[]> {
  const paths = IGNORE_FILES.map((name) => join(folder, name)).filter((path) => existsSync(path));
  return await Promise.all(
    paths.map(async (path) => ({ folder, matcher: ignore().add(await readFile(path, 'utf8')) })),
  );
}

function skipReason(walk: Walk, entry: Dirent, path: string, rules: readonly Rules[]): SkipReason | null {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.name.startsWith('.') && (!walk.hidden || entry.name === '.git')) return 'hidden';
  if (entry.isDirectory() && DEPENDENCY_FOLDERS.has(entry.name)) return 'dependency folder';
  if (isIgnored(path, entry.isDirectory(), rules)) return 'ignored';
  return null;
}

/** The innermost file with an opinion decides, as in git. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, matcher } of rules.toReversed()) {
    const below = relative(folder, path).split(sep).join('/') + (isFolder ? '/' : '');
    const { ignored, unignored } = matcher.test(below);
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function addFile(walk: Walk, path: string, title: string, root: string | null): Promise<void> {
  if (!isReadable(path)) walk.skipped['other kind of file'] += 1;
  else await addNamedFile(walk, path, title, root);
}

/** A file that was named is wanted, whatever its extension says. */
async function addNamedFile(walk: Walk, path: string, title: string, root: string | null): Promise<void> {
  if (walk.files.length >= MAX_FILES) throw new CliFailure(`More than ${MAX_FILES} files: ingest folder by folder`);
  const { size, mtimeMs } = await stat(path);
  walk.files.push({ path, title, sizeBytes: size, modifiedMs: mtimeMs, root });
}

/** The same file named twice is taken once; two files with one title would overwrite each other. */
function withoutRepeats(sorted: readonly FoundFile[]): FoundFile[] {
  const byTitle = new Map<string, FoundFile>();
  for (const file of sorted) {
    const other = byTitle.get(file.title);
    if (other && other.path !== file.path)
      throw new CliFailure(
        `${other.path} and ${file.path} would both be titled "${file.title}": ingest the folders apart, or their parent`,
      );
    byTitle.set(file.title, file);
  }
  return [...byTitle.values()];
}
