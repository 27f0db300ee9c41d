import type { Document } from 'mongodb';
import type { NeededIndex } from './search-index-definitions.js';

/** What an existing index lacks, and whether the lack is growth of the configuration (a key or language declared lately). */
export interface IndexProblem {
  readonly message: string;
  readonly isGrowth: boolean;
  /** The declared metadata key that cannot be filtered on. */
  readonly metadataKey?: string;
}

/**
 * What `needed` asks for and `definition` (as the server reports it) lacks; empty when it fits. Pure. More than is
 * needed is no problem: an operator may add fields.
 */
export function indexProblems(definition: Document, needed: NeededIndex): IndexProblem[] {
  return needed.type === 'vectorSearch'
    ? vectorProblems(definition, needed.definition)
    : textProblems(definition, needed.definition);
}

function vectorProblems(definition: Document, needed: Document): IndexProblem[] {
  const existing = fieldsByPath(definition);
  return (needed.fields as Document[]).flatMap((field) => {
    const path = field.path as string;
    const found = existing.get(path);
    if (found === undefined) return [missing(`${field.type} path "${path}" is missing`, path)];
    if (found.type !== field.type) return [problem(`path "${path}" is of type ${found.type}, expected ${field.type}`)];
    return ['numDimensions', 'similarity'].flatMap((name) =>
      field[name] === undefined || Number(found[name]) === field[name] || found[name] === field[name]
        ? []
        : [problem(`path "${path}" has ${name} ${found[name]}, expected ${field[name]}`)],
    );
  });
}

function fieldsByPath(definition: Document): Map<string, Document> {
  const fields = Array.isArray(definition.fields) ? (definition.fields as Document[]) : [];
  return new Map(fields.map((field) => [field.path as string, field]));
}

function textProblems(definition: Document, needed: Document): IndexProblem[] {
  return mappingProblems(asDocument(definition.mappings), needed.mappings as Document, '');
}

function mappingProblems(mapping: Document, needed: Document, prefix: string): IndexProblem[] {
  return Object.entries(needed.fields as Document).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const candidates = asList(asDocument(mapping.fields)[name]);
    const found = candidates.find((candidate) => candidate.type === field.type);
    if (found === undefined) {
      if (field.type === 'document') return mappingProblems({}, field, `${path}.`);
      return [missing(`path "${path}" is not mapped as ${field.type}`, path)];
    }
    if (field.type === 'document') return mappingProblems(found, field, `${path}.`);
    return field.type === 'string' ? analyzerProblems(found, field, path) : [];
  });
}

function analyzerProblems(found: Document, needed: Document, path: string): IndexProblem[] {
  const problems: IndexProblem[] = [];
  // The server fills in what its default is.
  if ((found.analyzer ?? 'lucene.standard') !== needed.analyzer)
    problems.push(problem(`path "${path}" has analyzer ${found.analyzer}, expected ${needed.analyzer}`));
  for (const [name, multi] of Object.entries(asDocument(needed.multi))) {
    const existing = asDocument(asDocument(found.multi)[name]);
    if (existing.analyzer !== multi.analyzer)
      problems.push(
        problem(
          `path "${path}" lacks the multi analyzer "${name}" (${multi.analyzer})`,
          existing.analyzer === undefined,
        ),
      );
  }
  return problems;
}

function problem(message: string, isGrowth = false): IndexProblem {
  return { message, isGrowth };
}

/** A path that is not there. A metadata key is only missing since it was declared; without the others nothing is safe. */
function missing(message: string, path: string): IndexProblem {
  return path.startsWith(METADATA)
    ? { message, isGrowth: true, metadataKey: path.slice(METADATA.length) }
    : problem(message);
}

const METADATA = 'metadata.';

function asDocument(value: unknown): Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Document) : {};
}

/** A path may be mapped in several ways at once: the server reports those as a list. */
function asList(value: unknown): Document[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(asDocument);
}
