import { isBlank } from '../embed/text-class.js';
import { AppError } from '../errors.js';
import type { SpaceRecord } from '../store/records.js';
import type { SearchMode, SearchRequest } from './retrieve.js';

/** UTF-16 units: about four pages. */
export const MAX_QUERY_LENGTH = 8_000;
export const MAX_FIRST = 100;

/** A request whose meaning has been checked: what is to be searched, and how. */
export type Question =
  | { readonly mode: SearchMode; readonly query: string; readonly vector: null }
  | { readonly mode: 'VECTOR'; readonly query: null; readonly vector: Float32Array };

/**
 * Throws `AppError` BAD_USER_INPUT for anything that cannot be searched, before a provider or the database is asked.
 */
export function checkRequest(request: SearchRequest, space: SpaceRecord): Question {
  checkInteger('first', request.first, 1, MAX_FIRST);
  if (request.maxPerDocument !== undefined) {
    checkInteger('maxPerDocument', request.maxPerDocument, 1, Number.MAX_SAFE_INTEGER);
  }
  if (request.numCandidates !== undefined && !Number.isInteger(request.numCandidates))
    throw invalid('numCandidates', `expected an integer, got ${request.numCandidates}`);
  const { minSimilarity, mode } = request;
  // An option of a leg that does not run is ignored, whatever it says.
  if (minSimilarity !== undefined && mode !== 'TEXT' && !(minSimilarity >= 0 && minSimilarity <= 1))
    throw invalid('minSimilarity', `expected a similarity from 0 to 1, got ${minSimilarity}`);
  checkWeights(request);
  return checkQuestion(request, space);
}

function checkQuestion(request: SearchRequest, space: SpaceRecord): Question {
  const { query, vector, mode } = request;
  if ((query === undefined) === (vector === undefined))
    throw invalid('query', `give exactly one of query and vector, got ${query === undefined ? 'neither' : 'both'}`);
  if (vector !== undefined) {
    if (mode !== undefined && mode !== 'VECTOR')
      throw invalid('mode', `a ready-made vector is searched with mode VECTOR, got ${mode}`);
    return { mode: 'VECTOR', query: null, vector: checkVector(vector, space) };
  }
  if (query!.length > MAX_QUERY_LENGTH)
    throw invalid('query', `at most ${MAX_QUERY_LENGTH} characters are allowed, got ${query!.length}`, {
      limit: 'queryCharacters',
      maximum: MAX_QUERY_LENGTH,
    });
  if (isBlank(query!)) throw invalid('query', 'expected a question, got nothing but white space or invisible characters'); // biome-ignore format: one sentence
  // Lone surrogates are in no stored text, and neither BSON nor an embedding endpoint takes them.
  return { mode: mode ?? 'HYBRID', query: query!.toWellFormed().replaceAll('\0', ' '), vector: null };
}

function checkVector(vector: readonly number[], space: SpaceRecord): Float32Array {
  if (vector.length !== space.dimensions)
    throw invalid(
      'vector',
      `expected ${space.dimensions} dimensions (space ${space.id}, model ${space.model}), got ${vector.length}`,
    );
  const numbers = Float32Array.from(vector);
  const broken = numbers.findIndex((number) => !Number.isFinite(number));
  if (broken !== -1) throw invalid('vector', `expected finite float32 numbers, got ${vector[broken]} at position ${broken}`); // biome-ignore format: one sentence
  if (space.similarity === 'cosine' && numbers.every((number) => number === 0))
    throw invalid('vector', 'a vector of zeros has no direction, so it has no cosine similarity to anything');
  return numbers;
}

function checkWeights({ weights }: SearchRequest): void {
  if (weights === undefined) return;
  for (const leg of ['vector', 'text'] as const) {
    const weight = weights[leg];
    if (!(weight >= 0) || !Number.isFinite(weight))
      throw invalid(`weights.${leg}`, `expected a finite number that is not negative, got ${weight}`);
  }
  if (weights.vector === 0 && weights.text === 0)
    throw invalid('weights', 'at least one leg must have a weight above 0, got 0 for both');
}

function checkInteger(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
    throw invalid(name, `expected an integer ${range}, got ${value}`);
  }
}

function invalid(field: string, problem: string, limit: { limit?: string; maximum?: number } = {}): AppError {
  return new AppError('BAD_USER_INPUT', `Cannot search: ${field}: ${problem}`, { details: { path: field, ...limit } });
}
