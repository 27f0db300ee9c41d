import { isDeepStrictEqual } from 'node:util';
import type { Client } from './client.js';
import type { IngestRecord, SentFile } from './ingest-record.js';
import type { FoundFile } from './walk.js';

const NODES = `query Known($ids: [ID!]!) {
  nodes(ids: $ids) { ... on Document { id version } }
}`;
/** The server's limit. */
const IDS_PER_QUERY = 100;

/**
 * The files that need not be sent: as large and as old as when they were, with the same agents, and their documents are at
 * the version that they became. A hundred of them cost one small request.
 */
export async function unchangedFiles(
  client: Client,
  files: readonly FoundFile[],
  recordOf: (file: FoundFile) => IngestRecord,
  agentIds: readonly string[] | null,
): Promise<ReadonlyMap<FoundFile, SentFile>> {
  const candidates = files.flatMap((file) => {
    const sent = recordOf(file).get(file.title);
    const isSame =
      sent?.sizeBytes === file.sizeBytes &&
      sent.modifiedMs === file.modifiedMs &&
      isDeepStrictEqual(sent.agentIds, agentIds);
    return isSame ? [[file, sent] as const] : [];
  });
  const current = await versionsOf(
    client,
    candidates.map(([, { documentId }]) => documentId),
  );
  return new Map(candidates.filter(([, { documentId, version }]) => current.get(documentId) === version));
}

/** By id; documents that are gone are missing. */
export async function versionsOf(client: Client, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>();
  for (let at = 0; at < ids.length; at += IDS_PER_QUERY) {
    const { nodes } = await client.run<{ nodes: ({ id: string; version: number } | null)[] }>(NODES, {
      ids: ids.slice(at, at + IDS_PER_QUERY),
    });
    for (const node of nodes) if (node) versions.set(node.id, node.version);
  }
  return versions;
}
