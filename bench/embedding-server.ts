import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeRandom } from './corpus.js';

/** An OpenAI-compatible embeddings endpoint on loopback that answers at once: what is measured is our side of it. */
export async function startEmbeddingServer(dimensions: number): Promise<{ url: string; stop(): Promise<void> }> {
  const random = makeRandom(3);
  // a stock of vectors: making new ones would be the slowest part of the bench
  const stock = Array.from({ length: 256 }, () => Float32Array.from({ length: dimensions }, () => random() - 0.5));
  const asNumbers = stock.map((vector) => `[${Array.from(vector, (v) => v.toFixed(6)).join(',')}]`);
  const asBase64 = stock.map((vector) => `"${Buffer.from(vector.buffer).toString('base64')}"`);
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { input, encoding_format } = JSON.parse(body) as { input: string | string[]; encoding_format?: string };
    const texts = Array.isArray(input) ? input : [input];
    const form = encoding_format === 'base64' ? asBase64 : asNumbers;
    const data = texts.map(
      (text, index) => `{"object":"embedding","index":${index},"embedding":${form[hash(text) % form.length]}}`,
    );
    response.setHeader('content-type', 'application/json');
    response.end(
      `{"object":"list","model":"bench","data":[${data.join(',')}],"usage":{"prompt_tokens":1,"total_tokens":1}}`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function hash(text: string): number {
  let value = 0;
  for (let i = 0; i < text.length; i += 7) value = (value * 31 + text.charCodeAt(i)) >>> 0;
  return value;
}
