import type { Embedder } from '../embed/embedder.js';
import type { DocumentRecord } from '../store/records.js';
import { type Attempt, withSignal } from './attempt.js';
import { releaseLines, roomForLine, type Situation, situateChunks } from './context/situate-chunks.js';
import { assembleChunks, type CutPiece, type CutText, stringOf } from './cut-text.js';
import { type CountedString, embedHash } from './embed-strings.js';
import { groupForLateChunking } from './late-chunking.js';
import { SpaceVectors } from './space-vectors.js';
import type { Wanted } from './wanted.js';

/** A version's chunks, and the strings that its vectors are of. */
export interface CutVersion extends CutText {
  /** Tokens that were embedded to find where to cut (SEMANTIC). */
  readonly cuttingTokens: number;
  /** Call it when the version is stored: what was kept for it meanwhile goes. */
  release(): Promise<void>;
}

/** Cuts the wanted text, has its chunks situated where that is wanted, and groups them where the embedder sees groups. */
export async function cutVersion(attempt: Attempt, stored: DocumentRecord | null, wanted: Wanted): Promise<CutVersion> {
  const { parts, options } = attempt;
  const { text, title, mediaType, chunking, space, otherSpaces } = wanted;
  const active = parts.embedderOf(space);
  const others = otherSpaces.map(parts.embedderOf);
  const situation = situationOf(attempt, stored, wanted, [active, ...others]);
  const sentences = sentenceEmbedder(attempt, active);
  const bare = await parts.cutter.cut(
    text,
    {
      title,
      mediaType,
      chunking,
      maxInputTokens: space.maxInputTokens,
      ...(situation && { reservedTokens: situation.lineTokens }),
    },
    [sentences.embedder, ...others],
    options.signal,
    (done, total) => options.onProgress?.({ phase: 'chunking', done, total }),
  );
  const pieces = situation === null ? bare : await situateChunks(bare, situation);
  return {
    ...assembleChunks(wanted, inGroups(pieces, text, [active, ...others])),
    cuttingTokens: sentences.tokens(),
    async release() {
      await sentences.release();
      if (situation !== null) await releaseLines(situation);
    },
  };
}

/** Null: nobody is asked for lines. */
function situationOf(
  attempt: Attempt,
  stored: DocumentRecord | null,
  { title, text, chunking, space }: Wanted,
  embedders: readonly Embedder[],
): Situation | null {
  const { parts, scope, given, lines } = attempt;
  if (!chunking.contextual || parts.contextWriter === null) return null;
  return {
    writer: parts.contextWriter,
    store: parts.store,
    scope,
    documentId: stored?.id ?? null,
    document: { title, text },
    counters: embedders.map((embedder) => (piece: string) => embedder.countTokens(piece)),
    lineTokens: roomForLine(Math.min(chunking.maxTokens ?? space.maxInputTokens, space.maxInputTokens)),
    lines,
    dryRun: given.dryRun,
    ...withSignal(attempt),
  };
}

function inGroups(pieces: readonly CutPiece[], text: string, embedders: readonly Embedder[]): readonly CutPiece[] {
  const limits = embedders.flatMap(({ lateChunking }) => lateChunking?.maxTokens ?? []);
  if (limits.length === 0) return pieces;
  return groupForLateChunking(pieces, (piece) => stringOf(text, piece), Math.min(...limits));
}

/**
 * SEMANTIC embeds sentences to see where topics shift. They are kept as a large document's chunks are, and counted. Not
 * remembered beyond the upsert: so a dry run costs what it says, and the upsert after it the same.
 */
function sentenceEmbedder(
  attempt: Attempt,
  embedder: Embedder,
): { readonly embedder: Embedder; tokens(): number; release(): Promise<void> } {
  const parts = { store: attempt.parts.store, recentVectors: null };
  const vectors = new SpaceVectors(parts, attempt.scope, embedder, { mayKeep: !attempt.given.dryRun });
  let tokens = 0;
  return {
    embedder: {
      space: embedder.space,
      countTokens: (text) => embedder.countTokens(text),
      async embed(texts, { signal }) {
        const hashes = texts.map(embedHash);
        const strings = new Map<string, CountedString>();
        for (const [at, text] of texts.entries())
          strings.set(hashes[at]!, { text, tokens: embedder.countTokens(text) });
        await vectors.recall(strings);
        for (const [hash, string] of strings) if (!vectors.isRecalled(hash)) tokens += string.tokens;
        const found = await vectors.embed(strings, signal === undefined ? {} : { signal });
        return hashes.map((hash) => found.get(hash)!);
      },
    },
    tokens: () => tokens,
    release: () => vectors.release(),
  };
}
