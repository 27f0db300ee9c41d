import type { Embedder } from '../../embed/embedder.js';
import { Refusal } from '../../errors.js';
import type { SpaceRecord } from '../../store/records.js';
import type { Operator } from '../../store/scope.js';
import type { LackingChunk, LackingSlice, Store } from '../../store/store.js';
import { embedHash, embedStrings } from '../embed-strings.js';
import { ArrivingVectors } from './arriving-vectors.js';
import { embedTogether } from './embed-together.js';
import { embeddedString } from './embedded-string.js';

export interface FillParts {
  readonly store: Pick<Store, 'lackingChunks' | 'documentChunks' | 'writeChunkVectors'>;
  readonly embedderOf: (space: SpaceRecord) => Embedder;
}

/** Documents that a message names. */
const MAX_NAMED = 10;
/** No vocabulary in use makes more tokens of a UTF-16 code unit: shorter texts need not be counted. */
const TOKENS_PER_UNIT = 3;

/**
 * Embeds those chunks of a slice that have no vector in the space, a few hundred at a time, and writes each batch before
 * the next: what was embedded before a failure or a stop is not embedded again. Returns how many were looked at. A model
 * that sees the chunks of a document together is given whole documents: those whose first chunk lies in the slice.
 *
 * @throws Refusal TOO_LARGE naming the documents whose chunks are longer than sixteen windows of the model, after all others
 *   were embedded; NOT_FOUND when the space was dropped; what the embedder throws.
 */
export async function fillSlice(
  { store, embedderOf }: FillParts,
  operator: Operator,
  space: SpaceRecord,
  slice: LackingSlice,
  signal: AbortSignal,
): Promise<number> {
  const embedder = embedderOf(space);
  const tooLarge: LackingChunk[] = [];
  const seen = new Set<string>();
  let looked = 0;
  for (let { after } = slice; ; ) {
    signal.throwIfAborted();
    const found = await store.lackingChunks(operator, space.id, { after, to: slice.to });
    if (found.after === null) break;
    after = found.after;
    looked += found.chunks.length;
    const arriving = new ArrivingVectors((vectors) => store.writeChunkVectors(operator, space.id, vectors));
    try {
      let alone: LackingChunk[] = [...found.chunks];
      if (embedder.lateChunking !== undefined) {
        alone = [];
        for (const id of new Set(found.chunks.map(({ document }) => document.id))) {
          if (seen.has(id)) continue;
          seen.add(id);
          const chunks = await store.documentChunks(operator, space.id, id);
          if (isIn(slice, chunks[0]?.id)) alone.push(...(await embedTogether(chunks, embedder, arriving, signal)));
        }
      }
      tooLarge.push(...(await embedChunks(alone, embedder, arriving, signal)));
    } finally {
      await arriving.writeRest();
    }
  }
  if (tooLarge.length > 0) throw tooLargeFor(space, tooLarge);
  return looked;
}

function isIn({ after, to }: LackingSlice, id: string | undefined): boolean {
  return id !== undefined && (after === null || id > after) && (to === null || id <= to);
}

/** Hands vectors on as they arrive; returns the chunks that are too long for the model. */
async function embedChunks(
  chunks: readonly LackingChunk[],
  embedder: Embedder,
  arriving: ArrivingVectors,
  signal: AbortSignal,
): Promise<LackingChunk[]> {
  // Equal strings are embedded once.
  const byHash = new Map<string, { text: string; chunks: LackingChunk[] }>();
  for (const chunk of chunks) {
    const text = embeddedString(chunk);
    const hash = embedHash(text);
    const same = byHash.get(hash);
    if (same === undefined) byHash.set(hash, { text, chunks: [chunk] });
    else same.chunks.push(chunk);
  }
  const embed = async (hashes: readonly string[]): Promise<void> => {
    const strings = new Map(hashes.map((hash) => [hash, { text: byHash.get(hash)!.text, tokens: 0 }]));
    const onVector = (hash: string, vector: Float32Array): void => {
      for (const { id, embedHash } of byHash.get(hash)!.chunks) arriving.add({ id, embedHash, vector });
    };
    await embedStrings(strings, embedder, { cache: new Map(), signal, onVector });
  };
  const { maxInputTokens } = embedder.space;
  const isLong = (text: string): boolean =>
    text.length * TOKENS_PER_UNIT > maxInputTokens && embedder.countTokens(text) > maxInputTokens;
  const long = new Set([...byHash].filter(([, { text }]) => isLong(text)).map(([hash]) => hash));
  await embed([...byHash.keys()].filter((hash) => !long.has(hash)));
  const tooLarge: LackingChunk[] = [];
  // One by one: a refused one must not keep the others from being embedded.
  for (const hash of long) {
    try {
      await embed([hash]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      tooLarge.push(...byHash.get(hash)!.chunks);
    }
  }
  return tooLarge;
}

function tooLargeFor(space: SpaceRecord, chunks: readonly LackingChunk[]): Refusal {
  const names = [
    ...new Set(chunks.map(({ document: { owner, title } }) => `${JSON.stringify(title)} of ${JSON.stringify(owner)}`)),
  ];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  return new Refusal(
    'TOO_LARGE',
    `${chunks.length} ${chunks.length === 1 ? 'chunk is' : 'chunks are'} longer than 16 windows of ${space.model} (${space.maxInputTokens} tokens each), in ${names.slice(0, MAX_NAMED).join(', ')}${more}: upsert these with smaller chunks`,
  );
}
