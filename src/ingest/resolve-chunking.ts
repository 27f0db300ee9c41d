import { Refusal } from '../errors.js';
import type { Chunking, ChunkingStrategy } from '../store/records.js';
import type { ChunkingInput } from './ingest.js';

/** What a strategy takes, and its defaults. Sizes in the strategy's own unit. */
interface StrategyDefaults {
  /** null: the strategy does not count tokens. */
  readonly maxTokens: number | null;
  readonly maxCharacters: number | null;
  readonly overlap: number;
  readonly hasParents: boolean;
}

const tokens = (maxTokens: number, overlap: number): StrategyDefaults => ({
  maxTokens,
  maxCharacters: null,
  overlap,
  hasParents: false,
});

const DEFAULTS: Readonly<Record<ChunkingStrategy, StrategyDefaults>> = {
  RECURSIVE: tokens(400, 50),
  SLIDING_WINDOW: { maxTokens: null, maxCharacters: 1_000, overlap: 100, hasParents: false },
  SENTENCE: tokens(400, 0),
  TOKEN: tokens(400, 50),
  STRUCTURE: tokens(400, 50),
  SEMANTIC: tokens(400, 0),
  PARENT_CHILD: { ...tokens(100, 0), hasParents: true },
  NONE: { maxTokens: null, maxCharacters: null, overlap: 0, hasParents: false },
};

/** A default overlap takes at most this part of the window, so that a small window goes without the caller's help. */
const DEFAULT_OVERLAP_SHARE = 1 / 4;
const PARENT_FACTOR = 4;
const MAX_WINDOW = 1_000_000;

/**
 * The chunking with every default filled in. Sizes that the strategy does not use are null. Throws `Refusal` INVALID with
 * the path of the field at fault: above the space's limit, an overlap that does not leave the window any progress.
 */
export function resolveChunking(input: ChunkingInput | null, maxInputTokens: number): Chunking {
  const strategy = input?.strategy ?? 'RECURSIVE';
  const defaults = DEFAULTS[strategy];
  const maxTokens =
    defaults.maxTokens === null ? null : tokenWindow(input?.maxTokens, defaults.maxTokens, maxInputTokens);
  const maxCharacters =
    defaults.maxCharacters === null ? null : size(input?.maxCharacters ?? defaults.maxCharacters, 'maxCharacters');
  const window = maxTokens ?? maxCharacters;
  return {
    strategy,
    maxTokens,
    maxCharacters,
    overlap: window === null ? 0 : overlap(input?.overlap, defaults.overlap, window),
    parentMaxTokens: defaults.hasParents ? parentWindow(input?.parentMaxTokens, maxTokens as number) : null,
    contextual: input?.contextual ?? false,
  };
}

/** A stored chunking in a space with a smaller limit than the one it was resolved for. */
export function fitChunking(stored: Chunking, maxInputTokens: number): Chunking {
  if (stored.maxTokens === null || stored.maxTokens <= maxInputTokens) return stored;
  return {
    ...stored,
    maxTokens: maxInputTokens,
    overlap: Math.min(stored.overlap, Math.floor(maxInputTokens * DEFAULT_OVERLAP_SHARE)),
  };
}

export function sameChunking(a: Chunking, b: Chunking): boolean {
  return (
    a.strategy === b.strategy &&
    a.maxTokens === b.maxTokens &&
    a.maxCharacters === b.maxCharacters &&
    a.overlap === b.overlap &&
    a.parentMaxTokens === b.parentMaxTokens &&
    a.contextual === b.contextual
  );
}

function tokenWindow(given: number | null | undefined, byDefault: number, limit: number): number {
  if (given == null) return Math.min(byDefault, limit);
  const window = size(given, 'maxTokens');
  if (window > limit)
    throw invalid('maxTokens', `The active embedding space takes at most ${limit} tokens per chunk, got ${window}`);
  return window;
}

function overlap(given: number | null | undefined, byDefault: number, window: number): number {
  if (given == null) return Math.min(byDefault, Math.floor(window * DEFAULT_OVERLAP_SHARE));
  if (!Number.isInteger(given) || given < 0) throw invalid('overlap', `Expected a whole number from 0, got ${given}`);
  if (given >= window)
    throw invalid('overlap', `Expected an overlap smaller than the window of ${window}, got ${given}`);
  return given;
}

function parentWindow(given: number | null | undefined, maxTokens: number): number {
  if (given == null) return PARENT_FACTOR * maxTokens;
  const window = size(given, 'parentMaxTokens');
  if (window < maxTokens)
    throw invalid(
      'parentMaxTokens',
      `Expected parents of at least ${maxTokens} tokens, as their chunks, got ${window}`,
    );
  return window;
}

function size(value: number, field: string): number {
  if (!Number.isInteger(value) || value < 1 || value > MAX_WINDOW)
    throw invalid(field, `Expected a whole number from 1 to ${MAX_WINDOW}, got ${value}`);
  return value;
}

function invalid(field: string, message: string): Refusal {
  return new Refusal('INVALID', message, ['input', 'chunking', field]);
}
