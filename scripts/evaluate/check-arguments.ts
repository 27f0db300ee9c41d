import { stat } from 'node:fs/promises';
import { EMBEDDING_PROVIDERS } from '../../src/config.js';
import { parseConfiguration } from '../../src/retrieve/evaluate/configuration.js';

export interface EvaluateArguments {
  readonly dataset: string;
  readonly configurations: readonly string[];
  readonly provider: string | undefined;
  readonly queries: string | undefined;
}

/** What is wrong with a command line, in one line; null: nothing. Asked before a collection is ingested, which takes long. */
export async function argumentsProblem(given: EvaluateArguments): Promise<string | null> {
  const { dataset, configurations, provider, queries } = given;
  if (queries !== undefined && !/^[1-9]\d*$/.test(queries))
    return `--queries: expected a whole number of at least 1, got ${queries}`;
  if (provider !== undefined && !EMBEDDING_PROVIDERS.some((known) => known === provider))
    return `--provider: expected ${EMBEDDING_PROVIDERS.join(', ')}, got ${provider}`;
  try {
    for (const configuration of configurations) parseConfiguration(configuration);
  } catch (error) {
    return (error as Error).message;
  }
  const isFolder = await stat(dataset).then((found) => found.isDirectory(), () => false); // biome-ignore format: one line
  return isFolder ? null : `--dataset: ${dataset} is no folder`;
}
