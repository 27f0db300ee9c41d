import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join, sep } from 'node:path';
import type { HttpServer } from './server.js';

/** What the explorer's files are. A file of another kind is not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

const FIRST_QUERY = `# Ask the documents. Open the documentation on the right for everything else.
{
  search(input: { query: "How do I start?" }, first: 5) {
    edges {
      score
      node {
        text
        document { title }
      }
    }
  }
}
`;

/**
 * An explorer that works offline: Altair, whole from its npm package, no content network. `/graphiql` leads to it,
 * because that is where people look. It is a page without data; what it asks needs credentials like anything else.
 */
export function addExplorerRoutes({ fastify }: HttpServer): void {
  fastify.get('/graphiql', async (_, reply) => reply.redirect('/explorer/'));
  fastify.get('/explorer', async (_, reply) => reply.redirect('/explorer/'));
  fastify.get('/explorer/', async (_, reply) => {
    const nonce = randomBytes(16).toString('base64');
    reply.headers(pageHeaders(nonce)).type('text/html; charset=utf-8');
    return altair().renderAltair({
      baseURL: '/explorer/',
      endpointURL: '/graphql',
      subscriptionsEndpoint: '/graphql',
      initialSubscriptionRequestHandlerId: 'graphql-ws',
      initialQuery: FIRST_QUERY,
      // nothing that leads off this server
      disableAccount: true,
      initialSettings: {
        'banners.disable': true,
        'alert.disableUpdateNotification': true,
        disablePushNotification: true,
      },
      cspNonce: nonce,
    });
  });
  fastify.get<{ Params: { '*': string } }>('/explorer/*', async ({ params }, reply) => {
    const file = files().get(params['*']);
    if (file === undefined) return reply.callNotFound();
    reply.type(CONTENT_TYPES[extname(file)] as string).header('cache-control', 'public, max-age=86400');
    // Scripts that a user writes into Altair run in this frame, apart from the page's origin.
    if (altair().isSandboxFrame(file)) reply.header('content-security-policy', altair().SANDBOX_FRAME_CSP);
    return readFile(file);
  });
}

function pageHeaders(nonce: string): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'self' 'nonce-${nonce}'`,
      // the editor makes style elements of its own
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "frame-src 'self'",
      "base-uri 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
  };
}

type Altair = typeof import('altair-static');
const require = createRequire(import.meta.url);

/** Half a megabyte of JavaScript: loaded when somebody opens the page. */
function altair(): Altair {
  return require('altair-static');
}

let listed: ReadonlyMap<string, string> | undefined;

/** The package's files by their path in it. Only what is listed is served, so no path can lead out. */
function files(): ReadonlyMap<string, string> {
  if (listed) return listed;
  const root = altair().getDistDirectory();
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  listed = new Map(
    names
      .filter((name) => Object.hasOwn(CONTENT_TYPES, extname(name)))
      .map((name) => [name.split(sep).join('/'), join(root, name)]),
  );
  return listed;
}
