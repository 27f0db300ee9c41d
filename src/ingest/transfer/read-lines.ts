/** A line without its line feed (nor a carriage return before it), numbered from 1. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

/** A line is longer than allowed: reading stops there, before it is in memory. */
export class LineTooLong extends Error {
  readonly line: number;

  constructor(line: number, maxBytes: number) {
    super(`Line ${line} has more than ${maxBytes} bytes`);
    this.name = 'LineTooLong';
    this.line = line;
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Cuts bytes into lines; what comes after the last line feed is a line too, if there is anything. Throws `LineTooLong`. */
export async function* readLines(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Line> {
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let number = 0;
  const finished = (last: Buffer): Line => {
    if (begunBytes + last.length > maxBytes) throw new LineTooLong(number + 1, maxBytes);
    const bytes = begun.length === 0 ? last : Buffer.concat([...begun, last]);
    begun = [];
    begunBytes = 0;
    number += 1;
    return { number, bytes: bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes };
  };
  for await (const given of source) {
    const chunk = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      yield finished(chunk.subarray(start, end));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0) continue;
    begun.push(rest);
    begunBytes += rest.length;
    if (begunBytes > maxBytes) throw new LineTooLong(number + 1, maxBytes);
  }
  if (begunBytes > 0) yield finished(Buffer.alloc(0));
}
