import { Refusal } from '../errors.js';
import { agentsForNewDocument, checkGivenAgents } from '../store/agents.js';
import { checkLanguage, checkMediaType, checkSourceUri, checkTitle } from '../store/check-attributes.js';
import { checkMetadata } from '../store/check-metadata.js';
import type { DocumentRecord, Metadata } from '../store/records.js';
import type { Scope } from '../store/scope.js';
import type { Source } from './extract.js';
import type { UpsertInput } from './ingest.js';

/** An upsert's input, checked once: what follows depends on what is stored. `undefined`: left out; null: cleared. */
export interface CheckedInput {
  readonly title: string;
  readonly source: Source;
  readonly mediaType: string | null | undefined;
  readonly language: string | null | undefined;
  readonly sourceUri: string | null | undefined;
  readonly agentIds: readonly string[] | undefined;
  readonly metadata: Metadata | undefined;
  readonly expectedVersion: number | null;
}

export interface Attributes {
  readonly sourceUri: string | null;
  readonly agentIds: readonly string[];
  readonly metadata: Metadata;
}

/** Throws `Refusal` with the path of the field at fault. */
export function checkInput(scope: Scope, input: UpsertInput): CheckedInput {
  const title = checkTitle(input.title);
  const mediaType = input.mediaType == null ? input.mediaType : checkMediaType(input.mediaType);
  return {
    title,
    source: sourceOf(input, mediaType ?? null),
    mediaType,
    language: input.language == null ? input.language : checkLanguage(input.language),
    sourceUri: input.sourceUri == null ? input.sourceUri : checkSourceUri(input.sourceUri),
    agentIds: input.agentIds === undefined ? undefined : checkGivenAgents(scope, input.agentIds ?? []),
    metadata: input.metadata === undefined ? undefined : checkMetadata(input.metadata ?? {}),
    expectedVersion: checkVersion(input.expectedVersion ?? null),
  };
}

/** A field left out keeps its stored value, null clears it. */
export function resolveAttributes(scope: Scope, input: CheckedInput, stored: DocumentRecord | null): Attributes {
  return {
    sourceUri: input.sourceUri === undefined ? (stored?.sourceUri ?? null) : input.sourceUri,
    agentIds: input.agentIds ?? stored?.agentIds ?? agentsForNewDocument(scope),
    metadata: input.metadata ?? stored?.metadata ?? {},
  };
}

const DEFAULT_MEDIA_TYPE = 'text/plain';

/** On creation text/plain for a text, else the stored one is kept; a file is always read anew. */
export function sourceMediaType(input: CheckedInput, stored: DocumentRecord | null): Source {
  if (input.source.kind === 'file') return input.source;
  const kept = input.mediaType === undefined ? stored?.mediaType : input.mediaType;
  return { ...input.source, mediaType: kept ?? DEFAULT_MEDIA_TYPE };
}

function sourceOf(input: UpsertInput, mediaType: string | null): Source {
  const { text, file } = input;
  if ((text == null) === (file == null))
    throw new Refusal('INVALID', 'Expected exactly one of `text` and `file`', ['input', 'text']);
  if (file != null) return { kind: 'file', ...file, mediaType };
  return { kind: 'text', text: text as string, mediaType: mediaType ?? DEFAULT_MEDIA_TYPE };
}

function checkVersion(version: number | null): number | null {
  if (version !== null && (!Number.isInteger(version) || version < 0))
    throw new Refusal('INVALID', `Expected a version from 0, got ${version}`, ['input', 'expectedVersion']);
  return version;
}
