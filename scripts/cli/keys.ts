import type { Client } from './client.js';
import { CliFailure } from './failure.js';
import type { Output } from './output.js';

export interface NewKey {
  readonly ownerId: string;
  readonly name: string;
  readonly role: string;
  readonly agentIds: readonly string[] | null;
  readonly expiresAt: string | null;
}

interface Key {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly role: string;
  readonly agentIds: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
}

interface Refused {
  readonly userErrors: readonly { readonly code: string; readonly message: string }[];
}

const KEY = 'id name ownerId role agentIds expiresAt lastUsedAt';
const CREATE = `mutation CreateKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { apiKey { ${KEY} } secret userErrors { code message } }
}`;
const LIST = `query Keys { admin { apiKeys { ${KEY} } } }`;
const REVOKE = `mutation RevokeKey($input: RevokeApiKeyInput!) {
  revokeApiKey(input: $input) { revokedApiKeyId userErrors { code message } }
}`;

/** The secret is the last line of the output, so that a script can take it from there. */
export async function createKey(client: Client, key: NewKey, output: Output): Promise<void> {
  const { ownerId, name, role, agentIds, expiresAt } = key;
  const input = { ownerId, name, role, ...(agentIds && { agentIds }), ...(expiresAt && { expiresAt }) };
  type Created = { createApiKey: Refused & { apiKey: Key; secret: string } };
  const { createApiKey } = await client.run<Created>(CREATE, { input });
  throwRefusal(createApiKey);
  output.out(keyLine(createApiKey.apiKey));
  output.err('This is the only time that the secret is shown:');
  output.out(createApiKey.secret);
}

export async function listKeys(client: Client, output: Output): Promise<void> {
  const { admin } = await client.run<{ admin: { apiKeys: Key[] } | null }>(LIST);
  if (admin === null) throw new CliFailure("This needs an administrator's credentials: see --api-key");
  for (const key of admin.apiKeys) output.out(keyLine(key));
}

export async function revokeKey(client: Client, apiKeyId: string, output: Output): Promise<void> {
  const { revokeApiKey } = await client.run<{ revokeApiKey: Refused }>(REVOKE, { input: { apiKeyId } });
  throwRefusal(revokeApiKey);
  output.out(`${apiKeyId} is revoked`);
}

function throwRefusal({ userErrors: [refusal] }: Refused): void {
  if (refusal) throw new CliFailure(`${refusal.message} (${refusal.code})`);
}

function keyLine({ id, name, ownerId, role, agentIds, expiresAt, lastUsedAt }: Key): string {
  return [
    id,
    role,
    `owner ${ownerId}`,
    `"${name}"`,
    ...(agentIds ? [`agents ${agentIds.join(',')}`] : []),
    ...(expiresAt ? [`until ${expiresAt}`] : []),
    ...(lastUsedAt ? [`last used ${lastUsedAt}`] : []),
  ].join('  ');
}
