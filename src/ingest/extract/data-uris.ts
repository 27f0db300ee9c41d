/** A payload shorter than this is somebody's example, which belongs to the text. */
const MIN_PAYLOAD = 128;

const DATA_URI = new RegExp(
  `data:([a-z]+/[a-z0-9.+-]+)?((?:;[a-z0-9-]+(?:=[^;,\\s"'<>()]*)?)*),[A-Za-z0-9+/=_%.~!*-]{${MIN_PAYLOAD},}`,
  'gi',
);

/**
 * A text whose pasted pictures and files are named instead of spelled out: their bytes mean nothing to a search, and would
 * be embedded like prose. The syntax around them stays as it was.
 */
export function withoutDataUris(text: string): { readonly text: string; readonly removed: number } {
  // most texts hold none, and the pattern is slower than this
  if (!/data:/i.test(text)) return { text, removed: 0 };
  let removed = 0;
  const replaced = text.replace(DATA_URI, (_uri, type: string | undefined) => {
    removed++;
    return `data:${type ?? ''},`;
  });
  return { text: replaced, removed };
}

export function dataUriWarnings(removed: number): string[] {
  if (removed === 0) return [];
  return [
    removed === 1
      ? 'The content of 1 embedded file (a data: URI) was left out'
      : `The contents of ${removed} embedded files (data: URIs) were left out`,
  ];
}
