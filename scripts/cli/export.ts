import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { LineHash, MAX_LINE_BYTES } from '../../src/ingest/transfer/export-format.js';
import { readLines } from '../../src/ingest/transfer/read-lines.js';
import { type Client, routeFailure } from './client.js';
import { CliFailure } from './failure.js';
import type { Output } from './output.js';
import { byteCount, makeTicker } from './progress.js';

/** Saves all that the caller sees. To a file by way of another, so that one of that name is never a cut one. */
export async function exportDocuments(
  client: Client,
  { file, force, cwd }: { file: string | null; force: boolean; cwd: string },
  output: Output,
): Promise<void> {
  if (file !== null && !force && existsSync(resolve(cwd, file)))
    throw new CliFailure(`${file} is there already: take another name, or --force to replace it`);
  const response = await client.route('export');
  if (!response.ok || response.body === null) throw await routeFailure(response);
  const ticker = makeTicker(output);
  const seen = { documents: 0, bytes: 0 };
  const lines = checked(Readable.fromWeb(response.body as never), seen, () =>
    ticker.update(() => `${seen.documents} documents, ${byteCount(seen.bytes)}`),
  );
  if (file === null) await save(lines, [output.stdout], { end: false });
  else {
    const path = resolve(cwd, file);
    const partial = `${path}.partial`;
    try {
      const pack = path.endsWith('.gz') ? [createGzip()] : [];
      await save(lines, [...pack, createWriteStream(partial)], { end: true });
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }
  ticker.clear();
  output.err(`${seen.documents} documents exported, ${byteCount(seen.bytes)}${file === null ? '' : ` in ${file}`}`);
}

async function save(
  source: AsyncIterable<Uint8Array>,
  sinks: readonly Writable[],
  options: { end: boolean },
): Promise<void> {
  try {
    await pipeline([Readable.from(source, { objectMode: false }), ...sinks] as never, options);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    throw new CliFailure(`The export broke off: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Passes lines on, and throws at the end unless the last one is the checksum of all before it. */
async function* checked(
  source: AsyncIterable<Uint8Array>,
  seen: { documents: number; bytes: number },
  onLine: () => void,
): AsyncGenerator<Uint8Array> {
  const hash = new LineHash();
  let last: Buffer | null = null;
  for await (const { bytes } of readLines(source, MAX_LINE_BYTES)) {
    if (last !== null) hash.add(last);
    last = bytes;
    if (bytes.subarray(0, 14).equals(END_OF_DOCUMENT)) seen.documents += 1;
    seen.bytes += bytes.length + 1;
    onLine();
    yield bytes;
    yield LINE_FEED;
  }
  if (checksumOf(last) !== hash.hex())
    throw new CliFailure('The export is incomplete: the connection ended before its checksum line. Try again');
}

const LINE_FEED = Buffer.from('\n');
const END_OF_DOCUMENT = Buffer.from('{"kind":"end",');

function checksumOf(line: Buffer | null): unknown {
  try {
    const fields: unknown = JSON.parse(line?.toString() ?? '');
    return typeof fields === 'object' &&
      fields !== null &&
      'kind' in fields &&
      fields.kind === 'checksum' &&
      'sha256' in fields
      ? fields.sha256
      : null;
  } catch {
    return null;
  }
}
