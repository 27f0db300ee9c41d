import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { AppError } from '../../../errors.js';
import { type SpooledFile, spool } from './spool.js';

/** Of the fields beside the file; metadata has at most 16 KiB. */
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 20;

export interface MultipartUpload {
  readonly file: SpooledFile;
  /** As the sender named it; may be empty. */
  readonly fileName: string;
  readonly contentType: string;
  /** The text fields, before or after the file. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads multipart/form-data with one file (RFC 7578). Throws `AppError` BAD_USER_INPUT for a form that is cut, malformed,
 * without a file or with several; `FileTooLarge`; what the source throws. Nothing is left then.
 */
export async function readMultipart(
  source: Readable,
  headers: IncomingHttpHeaders,
  maxBytes: number,
): Promise<MultipartUpload> {
  const fields = new Map<string, string[]>();
  const files: Promise<Omit<MultipartUpload, 'fields'>>[] = [];
  const parser = makeParser(headers);
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    if (nameTruncated || valueTruncated)
      return void parser.destroy(badForm(`a field has more than ${MAX_FIELD_BYTES} bytes`));
    const known = fields.get(name);
    if (known === undefined) fields.set(name, [value]);
    else known.push(value);
  });
  parser.on('file', (_name, stream, fileName, _encoding, contentType) => {
    if (files.length > 0) return void parser.destroy(badForm('expected one file, got several'));
    stream.on('error', () => undefined);
    const arriving = spool(stream, maxBytes).then((file) => ({ file, fileName: fileName ?? '', contentType }));
    // The parser waits for what it handed out, so a file that is refused must end it.
    arriving.catch((error: Error) => parser.destroy(error));
    files.push(arriving);
  });
  parser.on('fieldsLimit', () => parser.destroy(badForm(`more than ${MAX_FIELDS} fields`)));
  parser.on('partsLimit', () => parser.destroy(badForm(`more than ${MAX_FIELDS + 2} parts`)));

  try {
    await fed(source, parser);
    const [file] = files;
    if (file === undefined) throw badForm('expected a file, got none');
    return { ...(await file), fields };
  } catch (error) {
    for (const arriving of files) await arriving.then(({ file }) => file.dispose()).catch(() => undefined);
    throw error;
  }
}

function makeParser(headers: IncomingHttpHeaders) {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: {
        fields: MAX_FIELDS,
        fieldSize: MAX_FIELD_BYTES,
        fieldNameSize: 100,
        files: 2,
        parts: MAX_FIELDS + 2,
        headerPairs: 50,
      },
    });
  } catch (error) {
    throw badForm(error instanceof Error ? error.message : 'not understood', error);
  }
}

/** Feeds the parser to the end. `pipeline` would destroy the request, and with it the way to answer. */
async function fed(source: Readable, parser: ReturnType<typeof makeParser>): Promise<void> {
  const failed = new Promise<never>((_, reject) => {
    // For good: it may fail again after it has failed, and an error that nobody hears ends the process.
    parser.on('error', (error: unknown) =>
      reject(error instanceof AppError || !isParserError(error) ? error : badForm(error.message, error)),
    );
  });
  const finished = once(parser, 'finish').then(() => undefined);
  finished.catch(() => undefined);
  failed.catch(() => undefined);
  const feed = async () => {
    for await (const chunk of source.iterator({ destroyOnReturn: false })) {
      if (parser.destroyed) break;
      if (!parser.write(chunk)) await Promise.race([once(parser, 'drain'), failed]);
    }
    parser.end();
  };
  await Promise.race([Promise.all([feed(), finished]), failed]);
}

/** Errors of the source and of the disk are no fault of the form. */
function isParserError(error: unknown): error is Error {
  return error instanceof Error && !('code' in error) && error.name === 'Error';
}

function badForm(problem: string, cause?: unknown): AppError {
  return new AppError('BAD_USER_INPUT', `The multipart form cannot be read: ${problem}`, { cause });
}
