import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.js';
import { CliFailure } from './failure.js';
import type { IngestRecord, SentFile } from './ingest-record.js';
import { versionsOf } from './known-files.js';

const DELETE = `mutation Prune($input: DeleteDocumentInput!) {
  deleteDocument(input: $input) { deletedDocumentId userErrors { code message } }
}`;

/** A file that was sent from a folder and is not there any more. */
export interface VanishedFile {
  readonly title: string;
  readonly sent: SentFile;
  readonly record: IngestRecord;
}

/**
 * What vanished from the folders since it was sent. A file that is there and merely ignored now has not. Throws
 * `CliFailure` above `limit`, before anything is done: an unmounted disk looks like a folder from which all vanished.
 */
export function vanishedFiles(records: ReadonlyMap<string, IngestRecord>, limit: number): readonly VanishedFile[] {
  const vanished = [...records].flatMap(([root, record]) =>
    record
      .entries()
      .filter(([title]) => !existsSync(join(root, title)))
      .map(([title, sent]) => ({ title, sent, record })),
  );
  if (vanished.length > limit)
    throw new CliFailure(
      `${vanished.length} files vanished, and --prune deletes at most ${limit}: nothing was done. If they are to go, say --prune-limit ${vanished.length}`,
    );
  return vanished;
}

/** Deletes their documents, except those that somebody else has changed since. Returns how many went. */
export async function prune(
  client: Client,
  vanished: readonly VanishedFile[],
  onComplaint: (line: string) => void,
): Promise<number> {
  const versions = await versionsOf(
    client,
    vanished.map(({ sent }) => sent.documentId),
  );
  let deleted = 0;
  for (const { title, sent, record } of vanished) {
    const version = versions.get(sent.documentId);
    if (version === undefined) await record.forget(title);
    else if (version !== sent.version) onComplaint(`${title}: vanished, but its document was changed since: kept`);
    else {
      const { deleteDocument } = await client.run<{
        deleteDocument: { userErrors: { code: string; message: string }[] };
      }>(DELETE, { input: { documentId: sent.documentId } });
      const [refusal] = deleteDocument.userErrors;
      if (refusal) onComplaint(`${title}: not deleted: ${refusal.message} (${refusal.code})`);
      else {
        deleted += 1;
        await record.forget(title);
      }
    }
  }
  return deleted;
}
