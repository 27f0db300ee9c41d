import type { EmbedderSpace } from '../embed/embedder.js';
import { AppError } from '../errors.js';
import type { SpaceRecord } from './records.js';

/** What the configuration says about the embedding space. */
export interface SpaceSettings {
  /** The space that an empty database gets. */
  readonly initial: EmbedderSpace;
  /** The EMBEDDING_* settings that are really set: what is unset never mismatches. */
  readonly explicit: { readonly provider?: string; readonly model?: string; readonly dimensions?: number };
}

/**
 * Checks the configuration against the stored spaces. Explicit settings that name any stored space are fine, be it
 * active or not; others are `AppError` EMBEDDING_SPACE_MISMATCH, because vectors of two models must never be compared.
 */
export function checkSpaceSettings(stored: readonly SpaceRecord[], { initial, explicit }: SpaceSettings): void {
  const fits = (space: SpaceRecord): boolean =>
    (explicit.provider === undefined || explicit.provider === space.provider) &&
    (explicit.model === undefined || explicit.model === space.model) &&
    (explicit.dimensions === undefined || explicit.dimensions === space.dimensions);
  if (stored.length === 0 || stored.some(fits)) return;

  const active = stored.find((space) => space.state === 'ACTIVE') ?? (stored[0] as SpaceRecord);
  const wanted = {
    // A model without a provider is one of the provider that the settings come to.
    provider: explicit.provider ?? (explicit.model === undefined ? active.provider : initial.provider),
    model: explicit.model ?? (explicit.provider === undefined ? active.model : initial.model),
    dimensions: explicit.dimensions,
  };
  throw new AppError(
    'EMBEDDING_SPACE_MISMATCH',
    `The documents are embedded with ${describeSpace(active)}, but the settings ask for ${describeSpace(wanted)}. ` +
      'Start with the stored settings (or leave EMBEDDING_PROVIDER, EMBEDDING_MODEL and EMBEDDING_DIMENSIONS unset), then ' +
      `move every document to the new model, as an administrator, with\n${reembedMutation(wanted)}`,
    { details: { stored: describeSpace(active), configured: describeSpace(wanted) } },
  );
}

/** A whole one, to be pasted: JSON's strings are GraphQL's. */
function reembedMutation(to: { provider: string; model: string; dimensions?: number | undefined }): string {
  const { provider, model, dimensions } = to;
  const input = [
    `provider: ${JSON.stringify(provider)}`,
    `model: ${JSON.stringify(model)}`,
    ...(dimensions === undefined ? [] : [`dimensions: ${dimensions}`]),
  ];
  return `mutation { reembed(input: {${input.join(', ')}}) { job { id } userErrors { message } } }`;
}

/**
 * Settings that an empty database cannot be given what they name: its provider has no such model or size. Else the next
 * start would find another space than the settings name. Throws `AppError` BAD_USER_INPUT.
 */
export function checkInitialSpace({ initial, explicit }: SpaceSettings): void {
  for (const [name, wanted, got] of [
    ['EMBEDDING_MODEL', explicit.model, initial.model],
    ['EMBEDDING_DIMENSIONS', explicit.dimensions, initial.dimensions],
  ] as const)
    if (wanted !== undefined && wanted !== got)
      throw new AppError(
        'BAD_USER_INPUT',
        `${name}: expected ${got}, which is what the provider ${initial.provider} has, got ${wanted}`,
      );
}

export function describeSpace(space: { provider: string; model: string; dimensions?: number | undefined }): string {
  return `${space.provider}/${space.model}${space.dimensions === undefined ? '' : ` (${space.dimensions} dimensions)`}`;
}
