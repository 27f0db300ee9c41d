import type { Client } from './client.js';

/** US dollars per million tokens, OpenAI's list prices of these models; they change, and `--price` says another one. */
const PRICES: Readonly<Record<string, number>> = {
  'text-embedding-3-small': 0.02,
  'text-embedding-3-large': 0.13,
  'text-embedding-ada-002': 0.1,
};

const SPACES = `query Spaces {
  admin { embeddingSpaces { provider model state } }
  documents(first: 1) { nodes { embeddingSpace { provider model state } } }
}`;

interface Space {
  readonly provider: string;
  readonly model: string;
  readonly state: string;
}

/** What embedding so many tokens will cost, as far as it can be told: the model may be one without a known price. */
export async function embeddingCost(client: Client, tokens: number, price: number | null): Promise<string> {
  const space = await activeSpace(client);
  const model = space === null ? '' : ` with ${space.model}`;
  const isFree = space !== null && space.provider !== 'openai';
  const perMillion = price ?? (isFree ? 0 : (PRICES[space?.model ?? ''] ?? null));
  if (perMillion === null) return `${tokens} tokens to embed${model}, at a price that is not known (see --price)`;
  if (perMillion === 0) return `${tokens} tokens to embed${model}, free of charge`;
  const dollars = (tokens * perMillion) / 1_000_000;
  return `${tokens} tokens to embed${model}, about $${dollars < 0.01 ? dollars.toPrecision(2) : dollars.toFixed(2)} at $${perMillion} per million`;
}

/** Administrators see the spaces; others the one that their documents are in. */
async function activeSpace(client: Client): Promise<Space | null> {
  type Answer = {
    admin: { embeddingSpaces: Space[] } | null;
    documents: { nodes: { embeddingSpace: Space | null }[] } | null;
  };
  const { admin, documents } = await client.run<Answer>(SPACES);
  const seen = admin?.embeddingSpaces ?? documents?.nodes.flatMap(({ embeddingSpace }) => embeddingSpace ?? []) ?? [];
  return seen.find(({ state }) => state === 'ACTIVE') ?? null;
}
