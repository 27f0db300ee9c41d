import type { IncomingHttpHeaders } from 'node:http';
import { type Config, isHost, isLoopbackName } from '../../config.js';
import { AppError } from '../../errors.js';

/** Apollo Studio's pages: they may call a server in development, where there are no credentials to steal. */
const STUDIO_ORIGINS: ReadonlySet<string> = new Set([
  'https://studio.apollographql.com',
  'https://sandbox.embed.apollographql.com',
  'https://explorer.embed.apollographql.com',
]);

export type CheckHostAndOrigin = (headers: IncomingHttpHeaders, isDevelopment: boolean) => void;

/**
 * Keeps web pages of strangers from using a browser to reach the server (DNS rebinding, cross-site requests). Throws
 * `AppError` FORBIDDEN. Probes that need no protection (/healthz, /readyz) do not call it.
 */
export function makeHostAndOriginCheck({ hosts, corsOrigins }: Config['http']): CheckHostAndOrigin {
  const allowedHosts = hosts && new Set(hosts.map((host) => host.toLowerCase()));
  const allowedOrigins = new Set(corsOrigins);
  return ({ host, origin }, isDevelopment) => {
    const name = hostName(host);
    if (name === null) throw forbidden('The request needs a valid Host header');
    if (isDevelopment && !isLoopbackName(name))
      throw forbidden(
        'Without credentials the server answers to loopback names only: create an API key to open it to other hosts',
      );
    if (!isDevelopment && allowedHosts && !allowedHosts.has(host!.toLowerCase()) && !allowedHosts.has(name))
      throw forbidden('This Host is not among GAZETTEER_HOSTS');
    if (origin === undefined || isOwnOrigin(origin, host!) || allowedOrigins.has(origin)) return;
    if (isDevelopment && STUDIO_ORIGINS.has(origin)) return;
    throw forbidden('This Origin is not among GAZETTEER_CORS_ORIGINS');
  };
}

/** The name in a Host header without its port, lower case; null when it is missing or malformed. */
function hostName(host: string | undefined): string | null {
  if (host === undefined || !isHost(host)) return null;
  return host.toLowerCase().replace(/:\d{1,5}$/, '');
}

/** The scheme is ignored: TLS may end at a proxy. */
function isOwnOrigin(origin: string, host: string): boolean {
  const separator = origin.indexOf('://');
  return separator > 0 && origin.slice(separator + 3).toLowerCase() === host.toLowerCase();
}

function forbidden(message: string): AppError {
  return new AppError('FORBIDDEN', message);
}

/** CORS answers for an Origin that has passed the check. */
export function corsHeaders(origin: string, host: string): Readonly<Record<string, string>> {
  if (isOwnOrigin(origin, host)) return {};
  return {
    'access-control-allow-origin': origin,
    vary: 'Origin',
    'access-control-expose-headers': 'x-request-id, retry-after',
  };
}

export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers':
    'authorization, content-type, x-request-id, x-gazetteer-client, apollo-require-preflight, x-apollo-operation-name, ' +
    'apollographql-client-name, apollographql-client-version',
  'access-control-max-age': '600',
};
