import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface EmbeddingsEndpoint {
  /** With /v1. */
  readonly baseUrl: string;
  /** How often each string was embedded. */
  readonly counts: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const DIMENSIONS = 16;

/** An OpenAI-compatible embeddings endpoint on loopback that counts what it is asked for, and takes its time. */
export async function startEmbeddingsEndpoint(options: { readonly delayMs: number }): Promise<EmbeddingsEndpoint> {
  const counts = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { input, dimensions } = JSON.parse(String(Buffer.concat(parts))) as { input: string[]; dimensions?: number };
    for (const text of input) counts.set(text, (counts.get(text) ?? 0) + 1);
    await new Promise((resolve) => setTimeout(resolve, options.delayMs));
    const data = input.map((text, index) => ({ index, embedding: vectorOf(text, dimensions ?? DIMENSIONS) }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data }));
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    counts,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Base64 of a unit vector that follows from the text. */
function vectorOf(text: string, dimensions: number): string {
  const vector = new Float32Array(dimensions);
  for (let at = 0; at < text.length; at++) vector[at % dimensions]! += (text.charCodeAt(at) * (at + 1)) % 13;
  const length = Math.hypot(...vector) || 1;
  return Buffer.from(vector.map((value) => value / length).buffer).toString('base64');
}
