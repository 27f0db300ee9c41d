import { Refusal } from '../errors.js';
import type { QueuedOn } from '../store/jobs/job-records.js';
import type { DocumentRecord } from '../store/records.js';

/**
 * What waited in a job was decided when it was queued. Throws `Refusal` CONFLICT where it would undo what was written
 * since: by hand, or by a job that was queued later. Attributes that were set meanwhile do not keep a new text away, as
 * long as it leaves them as they are. Pure.
 *
 * `changes`: what it would change of the document as it is now.
 */
export function requireNothingNewer(
  queuedOn: QueuedOn | null | undefined,
  stored: DocumentRecord,
  changes: { readonly text: boolean; readonly attributes: boolean },
): void {
  if (!queuedOn) return;
  // Deleted and made anew: its versions begin at 1 again, and say nothing about what it was queued on.
  const isAnother = queuedOn.documentId !== null && stored.id !== queuedOn.documentId;
  // One that has no version yet holds nothing that could be undone.
  if (stored.version === 0 && !isAnother) return;
  const isNewer = stored.queuedAt === undefined || stored.queuedAt > queuedOn.at;
  const undoesText = changes.text && (isAnother || stored.version !== queuedOn.version);
  const undoesAttributes = changes.attributes && (isAnother || stored.revision !== queuedOn.revision);
  if (isNewer && (undoesText || undoesAttributes))
    throw new Refusal(
      'CONFLICT',
      `The document was changed after this was queued: it is at version ${stored.version} and revision ` +
        `${stored.revision} now, and stays. Send this again if it is to replace that`,
      ['input', 'title'],
    );
}
