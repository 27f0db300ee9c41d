import { createHash, randomBytes } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { Refusal } from '../errors.js';
import { checkName, MAX_AGENTS } from './agents.js';
import type { Clock } from './clock.js';
import type { Database } from './database.js';
import { parseObjectId } from './object-id.js';
import { apiKeyRecord } from './row-records.js';
import type { ApiKeyRow } from './rows.js';
import type { Store } from './store.js';
import { inTransaction } from './transaction.js';

/** Lets a leaked key be recognised for what it is, by people and by secret scanners. */
const PREFIX = 'gz_';
const SECRET_BYTES = 32;
const SECRET = /^gz_[\w-]{43}$/;
const MAX_NAME_LENGTH = 200;
/** `lastUsedAt` need not be written with every request. */
const TOUCH_INTERVAL_MS = 60_000;

export type ApiKeyFunctions = Pick<
  Store,
  'hasApiKeys' | 'apiKeyBySecret' | 'listApiKeys' | 'createApiKey' | 'revokeApiKey'
>;

/** Keys of 256 random bits; only their SHA-256 is stored. With so many bits a slow hash would add nothing. */
export function apiKeyFunctions(database: Database, clock: Clock): ApiKeyFunctions {
  return {
    async hasApiKeys() {
      // Development mode must not come back when the last key is revoked, so what counts is that there ever was one.
      return (await database.settings.countDocuments({ _id: 'api_keys' }, { limit: 1 })) > 0;
    },

    async apiKeyBySecret(secret) {
      if (!SECRET.test(secret)) return null;
      const row = await database.apiKeys.findOne({ secret_hash: hashOf(secret) });
      const now = clock();
      if (row === null || (row.expires_at !== null && row.expires_at <= now)) return null;
      if (row.last_used_at === null || now.getTime() - row.last_used_at.getTime() >= TOUCH_INTERVAL_MS)
        await database.apiKeys.updateOne({ _id: row._id }, { $set: { last_used_at: now } });
      return apiKeyRecord(row);
    },

    async listApiKeys() {
      return (await database.apiKeys.find().sort({ _id: 1 }).toArray()).map(apiKeyRecord);
    },

    async createApiKey(_operator, key) {
      checkName(key.owner, 'owner', ['input', 'ownerId']);
      if (key.name.trim() === '' || key.name.length > MAX_NAME_LENGTH)
        throw new Refusal('INVALID', `Expected a name of 1 to ${MAX_NAME_LENGTH} characters, got ${key.name.length}`, [
          'input',
          'name',
        ]);
      const agentIds = checkAgents(key.agentIds);
      const now = clock();
      if (key.expiresAt !== null && key.expiresAt <= now)
        throw new Refusal('INVALID', 'The key would have expired already', ['input', 'expiresAt']);
      const secret = PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
      const row: ApiKeyRow = {
        _id: new ObjectId(),
        name: key.name.toWellFormed(),
        owner: key.owner,
        role: key.role,
        agent_ids: agentIds,
        secret_hash: hashOf(secret),
        created_at: now,
        expires_at: key.expiresAt,
        last_used_at: null,
      };
      await inTransaction(database, async (session) => {
        await database.apiKeys.insertOne(row, { session });
        await database.settings.updateOne(
          { _id: 'api_keys' },
          { $set: { ever_created: true } },
          { session, upsert: true },
        );
      });
      return { apiKey: apiKeyRecord(row), secret };
    },

    async revokeApiKey(_operator, id) {
      const keyId = parseObjectId(id);
      if (keyId === null) return null;
      const { deletedCount } = await database.apiKeys.deleteOne({ _id: keyId });
      return deletedCount === 0 ? null : keyId.toHexString();
    },
  };
}

/** null: not bound. A list that is empty would bind to nothing, and is refused rather than read as "all". */
function checkAgents(agentIds: readonly string[] | null): string[] | null {
  if (agentIds === null) return null;
  const path = ['input', 'agentIds'];
  if (agentIds.length === 0)
    throw new Refusal('INVALID', 'Expected at least one agent, or null for a key that is not bound to agents', path);
  if (agentIds.length > MAX_AGENTS)
    throw new Refusal('INVALID', `At most ${MAX_AGENTS} agents are allowed, got ${agentIds.length}`, path);
  for (const agent of agentIds) checkName(agent, 'agent id', path);
  return [...new Set(agentIds)];
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
