import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, Refusal } from '../../errors.js';
import { isSameSpace, type OnSpaceMismatch, spaceMismatch } from '../../ingest/transfer/import-document.js';
import { importSpec } from '../../ingest/transfer/import-work.js';
import { receiveImport } from '../../ingest/transfer/receive-items.js';
import type { NewJobItem } from '../../store/jobs/job-records.js';
import { type Parts, requireRole } from '../context.js';
import { deliberateBody } from '../errors.js';
import { LIMITS, limitExceeded } from '../limits.js';
import { encodeNodeId } from '../node-id.js';
import { contextOf } from './graphql-route.js';
import { discardRest, unpackedBody } from './request-body.js';
import { queryPairs } from './upload/parameters.js';

/** Takes in an export as a job, which runs once its last line has come: a cut file leaves nothing. */
export function makeImportRoute(parts: Parts) {
  let running = 0;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const context = contextOf(parts, request);
    requireRole(context, 'WRITER');
    const onSpaceMismatch = readQuery(request.url);
    if (running >= LIMITS.importsAtOnce.maximum) throw limitExceeded('importsAtOnce', running + 1, 'try again later');
    running += 1;
    const body = unpackedBody(request.raw);
    try {
      const { space, items } = await receiveImport(body);
      const active = await context.store.activeSpace();
      // Every document would be refused for it: better at once.
      if (onSpaceMismatch === 'refuse' && !isSameSpace(space, active)) throw spaceMismatch(space, active);
      const counted = new Counted(items);
      const job = await context.jobs
        .create(context.scope, {
          kind: 'IMPORT',
          spec: importSpec(space, onSpaceMismatch),
          apiKeyId: context.credentials.apiKeyId ?? null,
          items: counted,
        })
        .catch((error: unknown) => {
          // An export of nothing is fine, a job of nothing is not.
          if (counted.hasEnded && counted.count === 0) return null;
          throw error;
        });
      if (job === null) return reply.code(200).send({ jobId: null });
      return reply.code(202).send({ jobId: encodeNodeId('Job', job.id) });
    } catch (error) {
      // While somebody still reads, the rest would not run out, and the connection's next request would never be seen.
      void body.return(undefined);
      discardRest(request.raw);
      if (error instanceof Refusal && error.code === 'QUOTA_EXCEEDED')
        throw new AppError('RATE_LIMITED', error.message, { cause: error });
      const mismatch =
        error instanceof AppError && error.code === 'EMBEDDING_SPACE_MISMATCH' ? deliberateBody(error) : null;
      if (mismatch === null) throw error;
      request.trace.errorCodes.add(mismatch.extensions.code);
      return reply.code(409).send({ errors: [mismatch] });
    } finally {
      running -= 1;
    }
  };
}

function readQuery(url: string): OnSpaceMismatch {
  let chosen: OnSpaceMismatch = 'refuse';
  for (const [name, values] of queryPairs(url)) {
    if (name !== 'onSpaceMismatch')
      throw new AppError(
        'BAD_USER_INPUT',
        `There is no parameter ${JSON.stringify(name.slice(0, 100))}: expected onSpaceMismatch`,
      );
    const value = values.at(-1);
    if (value !== 'refuse' && value !== 'reembed')
      throw new AppError('BAD_USER_INPUT', 'onSpaceMismatch: expected refuse or reembed');
    chosen = value;
  }
  return chosen;
}

class Counted implements AsyncIterable<NewJobItem> {
  readonly #items: AsyncIterable<NewJobItem>;
  count = 0;
  hasEnded = false;

  constructor(items: AsyncIterable<NewJobItem>) {
    this.#items = items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<NewJobItem> {
    for await (const item of this.#items) {
      this.count += 1;
      yield item;
    }
    this.hasEnded = true;
  }
}
