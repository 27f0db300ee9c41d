import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startTestServer, type TestServer, upsert } from '../server.js';

/** The explorer in a real browser, where there is one: it works from this server alone, under its content policy. */
const chromium = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
);
if (chromium === undefined) console.log('skipped: no Chromium is installed to open the explorer with');

describe.skipIf(chromium === undefined)('the explorer', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startTestServer();
    await upsert(server, { title: 'found by the browser', text: 'How do I start? By opening this page.' });
    browser = await startBrowser(chromium!);
  });
  afterAll(async () => {
    await browser?.stop();
    await server.stop();
  });

  test('runs its first query, asks nobody else, and breaks no rule of its page', async () => {
    await browser.open(new URL('/graphiql', server.url).href);
    const button = `[...document.querySelectorAll('button')].find((b) => b.textContent.includes('Send Request'))`;
    await expect.poll(() => browser.evaluate(`Boolean(${button})`), { timeout: 40_000, interval: 500 }).toBe(true);
    await browser.evaluate(`${button}.click()`);
    await expect
      .poll(() => browser.evaluate(`document.body.textContent.includes('found by the browser')`), {
        timeout: 40_000,
        interval: 500,
      })
      .toBe(true);
    expect(browser.errors).toEqual([]);
    expect(browser.origins).toEqual(new Set([new URL(server.url).origin]));
  }, 120_000);
});

interface Browser {
  open(url: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  /** What the page logged as an error, refusals by its content policy included. */
  readonly errors: string[];
  /** Whom it asked over HTTP. */
  readonly origins: Set<string>;
  stop(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly result?: { readonly value?: unknown } };
  readonly params?: {
    readonly entry?: { readonly level: string; readonly text: string };
    readonly request?: { readonly url: string };
  };
}

/** Chromium over its DevTools protocol. */
async function startBrowser(command: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'gazetteer-browser-'));
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ];
  const child = spawn(command, [...flags, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const { port } = new URL(await devToolsUrl(child));
  const pages = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(pages.find((page) => page.type === 'page')!.webSocketDebuggerUrl);
  await new Promise((opened) => socket.once('open', opened));

  const errors: string[] = [];
  const origins = new Set<string>();
  const waiting = new Map<number, (message: Message) => void>();
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    const { entry, request } = message.params ?? {};
    if (message.method === 'Log.entryAdded' && entry?.level === 'error') errors.push(entry.text);
    if (message.method === 'Network.requestWillBeSent' && /^https?:/.test(request!.url))
      origins.add(new URL(request!.url).origin);
  });
  let last = 0;
  const call = (method: string, params: object = {}) => {
    last += 1;
    socket.send(JSON.stringify({ id: last, method, params }));
    return new Promise<Message>((answered) => waiting.set(last, answered));
  };
  for (const domain of ['Page', 'Log', 'Network']) await call(`${domain}.enable`);
  return {
    errors,
    origins,
    open: async (url) => void (await call('Page.navigate', { url })),
    evaluate: async (expression) =>
      (await call('Runtime.evaluate', { expression, returnByValue: true })).result?.result?.value,
    stop: async () => {
      socket.terminate();
      const impatient = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await new Promise((ended) => {
        child.once('exit', ended);
        // its own processes end with it when it is asked to
        child.kill('SIGTERM');
      });
      clearTimeout(impatient);
      try {
        rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
      } catch {
        // a last process of the browser may still write its profile; it is in the system's temporary folder
      }
    },
  };
}

function devToolsUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr!.on('data', (chunk) => {
      said += chunk;
      const url = /DevTools listening on (ws:\S+)/.exec(said)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', () => reject(new Error(`Chromium ended: ${said}`)));
  });
}
