import { randomBytes } from 'node:crypto';
import { Binary } from 'mongodb';
import type { Database } from './database.js';
import { isDuplicateKey } from './mongo-errors.js';
import type { SettingRow } from './rows.js';
import { SEALING_KEY_BYTES } from './sealing.js';

/** The key that seals cursors: made once, kept in the database, so that cursors outlive a restart and fit every server. */
export async function sealingKey(database: Database): Promise<Uint8Array> {
  const stored = (await database.settings.findOne({ _id: 'sealing_key' })) as SettingRow | null;
  if (stored?._id === 'sealing_key') return stored.key.value();
  const row = { _id: 'sealing_key' as const, key: new Binary(randomBytes(SEALING_KEY_BYTES)) };
  try {
    await database.settings.insertOne(row);
    return row.key.value();
  } catch (error) {
    // Another server made one at the same moment: its key counts.
    if (isDuplicateKey(error)) return sealingKey(database);
    throw error;
  }
}
