/** Why an answer cannot be used; becomes PROVIDER_UNAVAILABLE with the model's name. */
export class BadAnswer extends Error {}

/**
 * The vectors of an embeddings response in the order of the request, whatever order and encoding they came in: numbers or
 * base64 of little-endian float32, whichever was asked for.
 *
 * @throws BadAnswer saying what was expected and what was got.
 */
export function vectorsOf(body: string, expected: number): Float32Array[] {
  const data = dataOf(body, expected);
  if (data.length !== expected) throw new BadAnswer(`Expected ${expected} vectors, got ${data.length}`);
  // servers that number nothing answer in order
  const isNumbered = data.some((item) => item.index !== undefined && item.index !== null);
  const vectors = new Array<Float32Array | undefined>(expected).fill(undefined);
  for (const [position, item] of data.entries()) {
    const index = isNumbered ? item.index : position;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= expected) {
      throw new BadAnswer(`Expected vectors numbered 0 to ${expected - 1}, got number ${shown(index)}`);
    }
    if (vectors[index]) throw new BadAnswer(`Expected each vector once, got number ${index} twice`);
    vectors[index] = decoded(item.embedding, index);
  }
  return vectors as Float32Array[];
}

interface Item {
  readonly index?: unknown;
  readonly embedding?: unknown;
}

function dataOf(body: string, expected: number): readonly Item[] {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw new BadAnswer(
      `Expected JSON with ${expected} vectors, got ${body.trim() === '' ? 'an empty body' : 'something else'}`,
    );
  }
  const data = (json as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || data.some((item) => typeof item !== 'object' || item === null)) {
    throw new BadAnswer(`Expected an array "data" with ${expected} vectors, got ${shown(data)}`);
  }
  return data;
}

function decoded(embedding: unknown, index: number): Float32Array {
  if (typeof embedding === 'string') return fromBase64(embedding, index);
  if (Array.isArray(embedding)) {
    if (!embedding.every((value) => typeof value === 'number')) {
      throw new BadAnswer(
        `Expected numbers in vector ${index}, got ${shown(embedding.find((value) => typeof value !== 'number'))}`,
      );
    }
    return Float32Array.from(embedding);
  }
  throw new BadAnswer(`Expected vector ${index} as numbers or base64, got ${shown(embedding)}`);
}

function fromBase64(encoded: string, index: number): Float32Array {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) {
    throw new BadAnswer(`Expected vector ${index} as base64 of float32 numbers, got ${bytes.length} bytes`);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}

/** A value's kind, never its content. */
function shown(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value;
}
