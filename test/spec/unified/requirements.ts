import type { Requirement } from './format.js';

/** Pocket Atlas: a replica set that follows server 8.2, without authentication. */
const SERVER = { version: [8, 2, 0], topology: 'replicaset', auth: false };

/** Why the requirements rule a test out; undefined when one of them is met, or there are none. */
export function unmetRequirement(requirements: readonly Requirement[] | undefined): string | undefined {
  if (requirements === undefined || requirements.length === 0) return undefined;
  const reasons = requirements.map(reasonAgainst);
  return reasons.includes(undefined) ? undefined : [...new Set(reasons)].join(' or ');
}

function reasonAgainst(requirement: Requirement): string | undefined {
  const { minServerVersion, maxServerVersion, topologies, auth, csfle } = requirement;
  if (topologies !== undefined && !topologies.includes(SERVER.topology)) return `runs on ${topologies.join('/')} only`;
  if (minServerVersion !== undefined && compareVersions(minServerVersion) > 0)
    return `needs server ${minServerVersion}`;
  if (maxServerVersion !== undefined && compareVersions(maxServerVersion) < 0)
    return `is for servers up to ${maxServerVersion}`;
  if (auth !== undefined && auth !== SERVER.auth) return 'needs authentication';
  if (csfle !== undefined && csfle !== false) return 'needs client-side encryption';
  return undefined;
}

/** Above 0 when `version` is newer than the server. */
function compareVersions(version: string): number {
  const parts = version.split('.').map(Number);
  for (let i = 0; i < 3; i += 1) {
    const difference = (parts[i] ?? 0) - SERVER.version[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
