import { pipeline, Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { writeExport } from '../../ingest/transfer/write-export.js';
import type { Parts } from '../context.js';
import { LIMITS, limitExceeded } from '../limits.js';
import { contextOf } from './graphql-route.js';

/** Streams all that the caller sees as an export. A failure on the way cuts it, and its reader misses the checksum line. */
export function makeExportRoute(parts: Parts) {
  let running = 0;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (running >= LIMITS.exportsAtOnce.maximum) throw limitExceeded('exportsAtOnce', running + 1, 'try again later');
    running += 1;
    reply.raw.once('close', () => {
      running -= 1;
    });
    const { scope, store, signal } = contextOf(parts, request);
    const blocks = writeExport(store, scope, { signal });
    // Whatever fails before the first block can still be answered.
    const first = await blocks.next();
    const lines = Readable.from(startingWith(first, blocks), { objectMode: false, highWaterMark: 64 * 1024 });
    reply
      .type('application/x-ndjson; charset=utf-8')
      .header('content-disposition', 'attachment; filename="gazetteer-export.ndjson"')
      .header('cache-control', 'no-store')
      .header('vary', [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', '));
    if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(lines);
    // Vectors hardly shrink, so more effort is only slower.
    const gzip = createGzip({ level: constants.Z_BEST_SPEED });
    return reply.header('content-encoding', 'gzip').send(pipeline(lines, gzip, () => undefined));
  };
}

async function* startingWith(
  first: IteratorResult<string, unknown>,
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    if (!first.done) yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

export function acceptsGzip(header: string | string[] | undefined): boolean {
  return [header ?? ''].flat().some((value) =>
    value.split(',').some((one) => {
      const [coding, ...parameters] = one.split(';').map((part) => part.trim().toLowerCase());
      return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    }),
  );
}
