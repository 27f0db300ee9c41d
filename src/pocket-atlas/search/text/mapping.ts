import type { BsonValue, Doc } from '../../bson/values.js';
import { isDocument } from '../spec-reader.js';
import { analyzerNamed } from './analysis/analyzers.js';
import type { Analyze } from './analysis/token.js';
import { gramsOf } from './autocomplete.js';
import type {
  AutocompleteMapping,
  DocumentMapping,
  FieldMapping,
  StringMapping,
  TextIndexDefinition,
} from './definition.js';
import { type TypedValue, typedValue } from './exact-key.js';
import type { SegmentBuilder } from './index/segment-builder.js';

/** Values of one array are this far apart, so that a phrase never spans two of them. */
const ARRAY_POSITION_GAP = 100;

export const wordsKey = (path: string, multi?: string): string =>
  multi === undefined ? `w:${path}` : `w:${path}\0${multi}`;
export const gramsKey = (path: string): string => `a:${path}`;
export const exactKey = (path: string): string => `x:${path}`;
export const numberKey = (path: string): string => `n:${path}`;
export const dateKey = (path: string): string => `d:${path}`;

/** A definition ready to index documents and to answer which fields a query path means. */
export interface Mapping {
  addDocument(recordId: number, doc: Doc, builder: SegmentBuilder): void;
  /** The string field at a path, undefined when the definition has none there (such a path finds nothing). */
  string(path: string, multi?: string): StringMapping | undefined;
  autocomplete(path: string): AutocompleteMapping | undefined;
  token(path: string): { readonly lowercase: boolean } | undefined;
}

export function compileMapping(definition: TextIndexDefinition): Mapping {
  const dynamicString: StringMapping = {
    type: 'string',
    analyzer: definition.analyzer,
    searchAnalyzer: definition.searchAnalyzer,
    ignoreAbove: Number.POSITIVE_INFINITY,
    multi: new Map(),
  };
  /** Without a mapping of its own a field below a dynamic document gets these. */
  const dynamicFields: readonly FieldMapping[] = [
    dynamicString,
    { type: 'number' },
    { type: 'date' },
    { type: 'boolean' },
    { type: 'objectId' },
    { type: 'uuid' },
    { type: 'document', document: { dynamic: true, fields: new Map() } },
  ];
  const fieldsAt = (path: string): readonly FieldMapping[] => {
    let documents: readonly DocumentMapping[] = [definition.root];
    let fields: readonly FieldMapping[] = [];
    for (const name of path.split('.')) {
      fields = documents.flatMap((d) => d.fields.get(name) ?? (d.dynamic ? dynamicFields : []));
      documents = fields.flatMap((field) => (field.type === 'document' ? [field.document] : []));
    }
    return fields;
  };
  return {
    addDocument(recordId, doc, builder) {
      builder.startRow(recordId);
      new RowWriter(builder, dynamicFields).document(doc, definition.root, '');
    },
    string(path, multi) {
      const field = fieldsAt(path).find((one) => one.type === 'string');
      return multi === undefined ? field : field?.multi.get(multi);
    },
    autocomplete: (path) => fieldsAt(path).find((one) => one.type === 'autocomplete'),
    token: (path) => fieldsAt(path).find((one) => one.type === 'token'),
  };
}

/** Writes one document's values into the current row. */
class RowWriter {
  private readonly builder: SegmentBuilder;
  private readonly dynamicFields: readonly FieldMapping[];
  /** Where the next value of a words field starts counting positions. */
  private readonly nextPosition = new Map<string, number>();

  constructor(builder: SegmentBuilder, dynamicFields: readonly FieldMapping[]) {
    this.builder = builder;
    this.dynamicFields = dynamicFields;
  }

  document(doc: Doc, mapping: DocumentMapping, parent: string): void {
    const names = mapping.dynamic ? Object.keys(doc) : mapping.fields.keys();
    for (const name of names) {
      if (!Object.hasOwn(doc, name)) continue;
      const fields = mapping.fields.get(name) ?? (mapping.dynamic ? this.dynamicFields : []);
      this.value(doc[name], fields, parent === '' ? name : `${parent}.${name}`);
    }
  }

  private value(value: BsonValue, fields: readonly FieldMapping[], path: string): void {
    if (Array.isArray(value)) {
      for (const element of value) this.value(element, fields, path);
      return;
    }
    if (isDocument(value)) {
      for (const field of fields) if (field.type === 'document') this.document(value, field.document, path);
      return;
    }
    const typed = typedValue(value);
    if (typed === undefined) return;
    this.builder.addPath(path);
    if (typed.type === 'null') this.builder.addExact(exactKey(path), typed.key);
    for (const field of fields) this.scalar(value, typed, field, path);
  }

  private scalar(value: BsonValue, typed: TypedValue, field: FieldMapping, path: string): void {
    switch (field.type) {
      case 'string':
        if (typeof value === 'string') this.string(value, field, path);
        return;
      case 'token':
        if (typeof value === 'string') {
          this.builder.addExact(exactKey(path), `s${field.lowercase ? value.toLowerCase() : value}`);
        }
        return;
      case 'autocomplete':
        if (typeof value === 'string') {
          const key = gramsKey(path);
          const base = this.nextPosition.get(key) ?? 0;
          let last = base;
          gramsOf(value, field, (gram, position) => {
            last = base + position;
            this.builder.addWord(key, gram, last);
          });
          this.nextPosition.set(key, last + ARRAY_POSITION_GAP);
        }
        return;
      case 'number':
        if (typed.type === 'number') this.builder.addNumber(numberKey(path), typed.number);
        return;
      case 'date':
        if (typed.type === 'date') this.builder.addNumber(dateKey(path), typed.number);
        return;
      case 'boolean':
      case 'objectId':
      case 'uuid':
        if (typed.type === field.type) this.builder.addExact(exactKey(path), typed.key);
        return;
      case 'document':
    }
  }

  private string(value: string, field: StringMapping, path: string): void {
    if (value.length > field.ignoreAbove) return;
    this.words(value, analyzerNamed(field.analyzer), wordsKey(path));
    for (const [name, inner] of field.multi) this.words(value, analyzerNamed(inner.analyzer), wordsKey(path, name));
  }

  private words(value: string, analyze: Analyze, key: string): void {
    const base = this.nextPosition.get(key) ?? 0;
    let last = base;
    analyze(value, (term, position) => {
      last = base + position;
      this.builder.addWord(key, term, last);
    });
    this.nextPosition.set(key, last + ARRAY_POSITION_GAP);
  }
}
