import { AppError } from '../../../errors.js';
import { parseExactJson } from '../exact-json.js';

/** The parameters of an upload, as fields of `UpsertDocumentInput`. GraphQL checks what they hold. */
const PARAMETERS: Readonly<Record<string, (value: string, name: string) => unknown>> = {
  title: asIs,
  name: asIs,
  mediaType: asIs,
  language: asIs,
  sourceUri: asIs,
  metadata: json,
  chunking: (value, name) => (/^\s*\{/.test(value) ? json(value, name) : { strategy: value }),
  expectedVersion: (value) => (/^\d{1,9}$/.test(value) ? Number(value) : value),
  dryRun: (value) => (value === 'true' ? true : value === 'false' ? false : value),
  waitUntil: asIs,
};

export type UploadParameters = Readonly<Record<string, unknown>> & { readonly name?: string; readonly title?: string };

/**
 * From the query string, and from the fields of a form, which count where the query says nothing. `agentIds` is a list,
 * separated by commas or given several times. Throws `AppError` BAD_USER_INPUT for a name that there is not, or one given
 * twice.
 */
export function uploadParameters(
  given: Iterable<readonly [name: string, values: readonly string[]]>,
): UploadParameters {
  const parameters: Record<string, unknown> = {};
  for (const [name, values] of given) {
    if (name in parameters || values.length === 0) continue;
    if (name === 'agentIds') {
      parameters.agentIds = values
        .flatMap((value) => value.split(','))
        .map((agent) => agent.trim())
        .filter((agent) => agent !== '');
      continue;
    }
    const read = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (read === undefined)
      throw new AppError(
        'BAD_USER_INPUT',
        `There is no parameter ${JSON.stringify(name.slice(0, 100))}: expected ${[...Object.keys(PARAMETERS), 'agentIds'].join(', ')}`,
      );
    if (values.length > 1)
      throw new AppError('BAD_USER_INPUT', `The parameter ${name} is given ${values.length} times`);
    parameters[name] = read(values[0]!, name);
  }
  return parameters;
}

function asIs(value: string): string {
  return value;
}

function json(value: string, name: string): unknown {
  try {
    return parseExactJson(value);
  } catch (error) {
    if (!(error instanceof AppError) || error.details.limit !== undefined) throw error;
    throw new AppError('BAD_USER_INPUT', `Expected JSON in the parameter ${name}`, { cause: error });
  }
}

/** What a query string holds, as pairs. */
export function queryPairs(url: string): Map<string, string[]> {
  const at = url.indexOf('?');
  const pairs = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(at === -1 ? '' : url.slice(at + 1)))
    pairs.set(name, [...(pairs.get(name) ?? []), value]);
  return pairs;
}
