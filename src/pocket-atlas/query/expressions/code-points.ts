// Positions count code points on the server, UTF-16 units in JavaScript.

const SURROGATES = /[\ud800-\udfff]/;

export function codePoints(text: string): string[] {
  return SURROGATES.test(text) ? [...text] : text.split('');
}

export function codePointLength(text: string): number {
  if (!SURROGATES.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length++;
  return length;
}

export function sliceCodePoints(text: string, from: number, length: number): string {
  if (!SURROGATES.test(text)) return text.slice(from, from + length);
  return [...text].slice(from, from + length).join('');
}
