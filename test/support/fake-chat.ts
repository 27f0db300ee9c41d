import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A chat model behind OpenAI's HTTP API on loopback, which never says the same twice. */
export interface FakeChat {
  readonly baseUrl: string;
  readonly requests: readonly ChatRequest[];
  /** The statuses of the next answers, one each; 200 for all that follow. */
  answerWith(...statuses: number[]): void;
  /** What it says next; null: a new line each time. */
  say(line: string | null): void;
  close(): Promise<void>;
}

export interface ChatRequest {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly model: string;
  readonly prompt: string;
}

export async function startFakeChat(): Promise<FakeChat> {
  const requests: ChatRequest[] = [];
  let statuses: number[] = [];
  let said: string | null = null;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] };
    requests.push({
      path: request.url,
      authorization: request.headers.authorization,
      model,
      prompt: messages.map(({ content }) => content).join('\n'),
    });
    const status = statuses.shift() ?? 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    const content = said ?? `Line number ${requests.length} about\n the   waterworks.`;
    response.end(JSON.stringify(status === 200 ? { choices: [{ message: { role: 'assistant', content } }] } : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answerWith(...next) {
      statuses = next;
    },
    say(line) {
      said = line;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
