import { sameAgents } from '../store/attributes.js';
import { sameMetadata } from '../store/check-metadata.js';
import type { Chunking, DocumentRecord, SpaceRecord } from '../store/records.js';
import type { AttributeChanges } from '../store/store.js';
import type { Attempt } from './attempt.js';
import { canonicalText } from './canonical-text.js';
import type { Extracted } from './extract.js';
import { hashText } from './hash-text.js';
import { fitChunking, resolveChunking, sameChunking } from './resolve-chunking.js';
import { type Attributes, resolveAttributes, sourceMediaType } from './resolve-upsert.js';

/** The document as the caller wants it, before it is cut and embedded. */
export interface Wanted extends Attributes {
  readonly title: string;
  readonly text: string;
  readonly contentHash: string;
  readonly mediaType: string;
  readonly language: string | null;
  readonly languageGiven: boolean;
  readonly chunking: Chunking;
  readonly space: SpaceRecord;
  /** Spaces beside the active one: every upsert brings vectors for them too. */
  readonly otherSpaces: readonly SpaceRecord[];
  /** Where each page of the source begins in `text`; null when it has none. */
  readonly pageStarts: readonly number[] | null;
  readonly warnings: readonly string[];
}

export async function resolveWanted(attempt: Attempt, stored: DocumentRecord | null): Promise<Wanted> {
  const { parts, scope, given, input } = attempt;
  const spaces = await parts.store.currentSpaces();
  const space = spaces.find(({ state }) => state === 'ACTIVE') ?? (await parts.store.activeSpace());
  const chunking =
    given.chunking === undefined && stored !== null
      ? fitChunking(stored.chunking, space.maxInputTokens)
      : resolveChunking(given.chunking ?? null, space.maxInputTokens);

  const extracted = await extract(attempt, stored);
  const text = canonicalText(extracted.text, ['input', input.source.kind]);
  const contentHash = await hashText(text);
  return {
    title: input.title,
    text,
    contentHash,
    mediaType: extracted.mediaType,
    ...(await resolveLanguage(attempt, stored, text, contentHash)),
    ...resolveAttributes(scope, input, stored),
    chunking,
    space,
    otherSpaces: spaces.filter(({ id }) => id !== space.id),
    pageStarts: extracted.pageStarts,
    warnings: extracted.warnings,
  };
}

async function extract(attempt: Attempt, stored: DocumentRecord | null): Promise<Extracted> {
  const { parts, input, options } = attempt;
  if (attempt.extracted !== null) return attempt.extracted;
  options.onProgress?.({ phase: 'extracting', done: 0, total: 1 });
  const onProgress = (done: number, total: number) => options.onProgress?.({ phase: 'extracting', done, total });
  const extracted = await parts.extract(sourceMediaType(input, stored), options.signal, onProgress);
  if (input.source.kind === 'file') attempt.extracted = extracted;
  return extracted;
}

/**
 * Content and chunking are those stored: nothing is to be cut or embedded. The space that was active then does not matter:
 * every live chunk has a vector in the one that is active now (store/space-fence.ts).
 */
export function isStoredVersion(stored: DocumentRecord, wanted: Wanted): boolean {
  return (
    stored.contentHash === wanted.contentHash &&
    sameChunking(stored.chunking, wanted.chunking) &&
    // Where the media type says how to cut, another one is another cut.
    (wanted.chunking.strategy !== 'STRUCTURE' || stored.mediaType === wanted.mediaType)
  );
}

export function attributeChanges(stored: DocumentRecord, wanted: Wanted): AttributeChanges {
  return {
    ...(wanted.title !== stored.title && { title: wanted.title }),
    ...(wanted.mediaType !== stored.mediaType && { mediaType: wanted.mediaType }),
    ...(wanted.language !== stored.language && { language: wanted.language }),
    ...(wanted.languageGiven !== stored.languageGiven && { languageGiven: wanted.languageGiven }),
    ...(wanted.sourceUri !== stored.sourceUri && { sourceUri: wanted.sourceUri }),
    ...(!sameAgents(wanted.agentIds, stored.agentIds) && { agentIds: wanted.agentIds }),
    ...(!sameMetadata(wanted.metadata, stored.metadata) && { metadata: wanted.metadata }),
  };
}

/** A given language stays until it is cleared; a detected one follows the text. */
async function resolveLanguage(
  { parts, input }: Attempt,
  stored: DocumentRecord | null,
  text: string,
  contentHash: string,
): Promise<{ language: string | null; languageGiven: boolean }> {
  if (input.language != null) return { language: input.language, languageGiven: true };
  const keepsStored = input.language === undefined && stored !== null;
  if (keepsStored && (stored.languageGiven || stored.contentHash === contentHash))
    return { language: stored.language, languageGiven: stored.languageGiven };
  return { language: await parts.detectLanguage(text), languageGiven: false };
}
