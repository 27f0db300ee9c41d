import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type RefusalCode } from '../../../errors.js';
import type { Ingest, UpsertResult } from '../../../ingest/ingest.js';
import { checkInput } from '../../../ingest/resolve-upsert.js';
import type { JobRecord } from '../../../store/jobs/job-records.js';
import { type Parts, type RequestContext, requireRole } from '../../context.js';
import { requestStatus } from '../../errors.js';
import { LIMITS, limitExceeded } from '../../limits.js';
import { encodeNodeId } from '../../node-id.js';
import type { FormattedResult } from '../../operation/run.js';
import type { RunOperation } from '../event-stream.js';
import { contextOf } from '../graphql-route.js';
import { discardRest } from '../request-body.js';
import { readMultipart } from './multipart.js';
import { queryPairs, type UploadParameters, uploadParameters } from './parameters.js';
import { FileTooLarge, MEMORY_BYTES, type SpooledFile, spool } from './spool.js';
import { Turns } from './turns.js';

/**
 * An upload is the mutation `upsertDocument` with its file beside it: the same checks, the same answer. Refusals are data
 * here too, and have a status besides, for those who look at nothing else.
 */
const UPLOAD = `mutation Upload($input: UpsertDocumentInput!) {
  upsertDocument(input: $input) {
    document {
      id title mediaType language sourceUri agentIds metadata textLength version revision status lastError
      chunkCount createdAt updatedAt embeddingSpace { id provider model dimensions }
    }
    outcome
    changes { chunksAdded chunksKept chunksRemoved chunksEmbedded embeddingTokens }
    searchable
    warnings
    userErrors { code message path }
  }
}`;

const REFUSAL_STATUS: Readonly<Record<RefusalCode, number>> = {
  INVALID: 400,
  NOT_FOUND: 404,
  CONFLICT: 409,
  TOO_LARGE: 413,
  EMPTY_TEXT: 422,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNREADABLE: 422,
  QUOTA_EXCEEDED: 429,
};

/** What senders write when they do not know, curl's default among them. */
const NO_MEDIA_TYPES: ReadonlySet<string> = new Set(['application/octet-stream', 'application/x-www-form-urlencoded']);

/** Larger files take long to read and to embed: they become a job, and nobody holds a connection for them. */
const MAX_DIRECT_BYTES = 8 * 1024 * 1024;

/** In place of a payload that nobody sees: the answer is the job's id. */
const NOTHING_YET: UpsertResult = {
  document: null,
  outcome: 'CREATED',
  changes: { chunksAdded: 0, chunksKept: 0, chunksRemoved: 0, chunksEmbedded: 0, embeddingTokens: 0 },
  searchable: false,
  warnings: [],
};

interface ArrivedUpload {
  readonly file: SpooledFile;
  readonly parameters: UploadParameters;
  readonly fileName: string;
  readonly contentType: string | undefined;
}

/** Larger files than `MEMORY_BYTES` that are in memory at once; the others wait on disk. */
const MAX_IN_MEMORY = 4;

export function makeUploadRoute(parts: Parts, run: RunOperation) {
  const turns = new Turns(MAX_IN_MEMORY);
  let running = 0;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const context = contextOf(parts, request);
    requireRole(context, 'WRITER');
    if (running >= LIMITS.uploadsAtOnce.maximum) throw limitExceeded('uploadsAtOnce', running + 1, 'try again later');
    running += 1;
    try {
      const arrived = await receive(request);
      const store = () => storeArrived(context, reply, run, arrived);
      try {
        return await (arrived.file.sizeBytes > MEMORY_BYTES ? turns.run(store) : store());
      } finally {
        await arrived.file.dispose();
      }
    } catch (error) {
      discardRest(request.raw);
      if (error instanceof FileTooLarge) return refuse(reply, 'TOO_LARGE', tooLarge(), 'file');
      throw error;
    } finally {
      running -= 1;
    }
  };
}

async function storeArrived(
  context: RequestContext,
  reply: FastifyReply,
  run: RunOperation,
  { file, parameters, fileName, contentType }: ArrivedUpload,
): Promise<FastifyReply> {
  const { name, ...fields } = parameters;
  if (fields.title === undefined)
    return refuse(reply, 'INVALID', 'The title is missing: POST /upload?title=…', 'title');
  const mediaType = mediaTypeOf(contentType);
  const input = { ...(mediaType !== null && { mediaType }), ...fields };
  // The name is a hint like any other; a title is often one.
  return await answer(context, reply, run, input, { name: name ?? (fileName || fields.title), file });
}

async function receive({ raw, url, headers }: FastifyRequest): Promise<ArrivedUpload> {
  const { maximum } = LIMITS.uploadBytes;
  const query = queryPairs(url);
  // Nothing is taken in for a request that cannot be meant.
  const fromQuery = uploadParameters(query);
  if (!['identity', ''].includes(headers['content-encoding'] ?? ''))
    throw new AppError('BAD_USER_INPUT', 'Compressed uploads are not read: send the file as it is');
  const contentType = headers['content-type'];
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) {
    if (Number(headers['content-length']) > maximum) throw new FileTooLarge();
    const file = await spool(raw.iterator({ destroyOnReturn: false }), maximum);
    return { file, parameters: fromQuery, fileName: '', contentType };
  }
  const form = await readMultipart(raw, headers, maximum);
  try {
    const fromForm = uploadParameters([...form.fields].filter(([name]) => !query.has(name)));
    return { ...form, parameters: { ...fromForm, ...fromQuery } };
  } catch (error) {
    await form.file.dispose();
    throw error;
  }
}

async function answer(
  context: RequestContext,
  reply: FastifyReply,
  run: RunOperation,
  fields: UploadParameters,
  { name, file }: { name: string; file: SpooledFile },
): Promise<FastifyReply> {
  let queued: JobRecord | null = null;
  const upsertDocument: Ingest['upsertDocument'] = async (scope, input, options) => {
    const whole = { ...input, file: { name, bytes: await file.read() } };
    if (file.sizeBytes <= MAX_DIRECT_BYTES || input.dryRun)
      return await context.ingest.upsertDocument(scope, whole, options);
    // What can be refused before the file is read is refused at once.
    checkInput(scope, whole);
    queued = await context.jobs.ingestDocuments(scope, [whole], { apiKeyId: context.credentials.apiKeyId ?? null });
    return NOTHING_YET;
  };
  const withFile: RequestContext = { ...context, ingest: { ...context.ingest, upsertDocument } };
  const input = { ...fields, file: { name, base64: '' } };
  const result = await onlyResult(run({ query: UPLOAD, operationName: 'Upload', variables: { input } }, withFile));
  if (queued !== null) return reply.code(202).send({ jobId: encodeNodeId('Job', (queued as JobRecord).id) });
  if (result.errors?.[0]) {
    const code = String(result.errors[0].extensions?.code);
    return reply.code(requestStatus(code)).send({ errors: result.errors });
  }
  const { upsertDocument: payload } = result.data as { upsertDocument: { userErrors: { code: RefusalCode }[] } };
  const [refusal] = payload.userErrors;
  return reply.code(refusal ? REFUSAL_STATUS[refusal.code] : 200).send(payload);
}

async function onlyResult(results: AsyncGenerator<FormattedResult>): Promise<FormattedResult> {
  for await (const result of results) return result;
  throw new TypeError('A mutation has one result, got none');
}

function refuse(reply: FastifyReply, code: RefusalCode, message: string, field: string): FastifyReply {
  return reply.code(REFUSAL_STATUS[code]).send({
    document: null,
    outcome: null,
    changes: null,
    searchable: false,
    warnings: [],
    userErrors: [{ code, message, path: ['input', field] }],
  });
}

function tooLarge(): string {
  const { maximum, unit } = LIMITS.uploadBytes;
  return `At most ${maximum} ${unit}, got more`;
}

/** Null for what says nothing: senders declare any text as plain UTF-8, and then its name tells more. */
function mediaTypeOf(contentType: string | undefined): string | null {
  const [bare = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  if (bare === '' || NO_MEDIA_TYPES.has(bare) || bare.startsWith('multipart/')) return null;
  if (bare === 'text/plain' && parameters.every((parameter) => /^charset="?utf-?8"?$/.test(parameter))) return null;
  return contentType ?? null;
}
