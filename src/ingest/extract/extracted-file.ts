/** What a file says, as text. */
export interface ExtractedFile {
  readonly text: string;
  readonly mediaType: string;
  /** Where each page begins in `text`, ascending from 0; null for a source without pages. */
  readonly pageStarts: readonly number[] | null;
  /** What a person should know: pages without text, changes that were pending … Never document text. */
  readonly warnings: readonly string[];
}

export const UNREADABLE_REASONS = {
  encrypted: 'The file is encrypted: remove its password first',
  corrupt: 'The file is damaged and cannot be read',
  encoding: 'The file is not text in any encoding that can be told',
  nesting: 'The file is nested too deeply to be read',
} as const;
export type UnreadableReason = keyof typeof UNREADABLE_REASONS;

export type NotExtractableKind = UnreadableReason | 'unsafe' | 'unsupported' | 'empty';

/** A file that cannot become a text: what the caller is told is chosen by `kind`. */
export class NotExtractable extends Error {
  readonly kind: NotExtractableKind;

  constructor(kind: NotExtractableKind, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'NotExtractable';
    this.kind = kind;
  }
}

export function unreadable(reason: UnreadableReason, cause?: unknown): NotExtractable {
  return new NotExtractable(reason, UNREADABLE_REASONS[reason], { cause });
}
