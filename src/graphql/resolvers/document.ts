import type { DocumentRecord } from '../../store/records.js';
import { connectionResolvers } from '../connections.js';
import { requireRole } from '../context.js';
import { disappeared } from '../disappeared.js';
import { attributeChanges, keyOf, noSuchDocument, targetOf, upsertInput } from '../document-input.js';
import { documentFilter } from '../filter-input.js';
import { firstChunks, isFirstPageWithoutCursors } from '../first-chunks.js';
import { encodeNodeId } from '../node-id.js';
import type {
  DocumentConnectionResolvers,
  DocumentResolvers,
  MutationResolvers,
  QueryResolvers,
} from '../schema.generated.js';
import { withUserErrors } from '../user-errors.js';

const Query: Pick<QueryResolvers, 'document' | 'documents'> = {
  document: async (_, { by }, { store, scope, loaders }) => {
    const key = keyOf(by);
    if (key === null) return null;
    return 'id' in key ? loaders.document.load(key.id) : store.document(scope, key);
  },
  documents: async (_, { filter: given, orderBy, first, after }, { store, scope }) => {
    const filter = given ? documentFilter(given, 'filter') : {};
    const page = await store.listDocuments(scope, { filter, orderBy, first, ...(after == null ? {} : { after }) });
    return { page, after: after ?? null, totalCount: () => store.countDocuments(scope, filter) };
  },
};

type Mutations = Pick<MutationResolvers, 'upsertDocument' | 'updateDocument' | 'deleteDocument' | 'deleteDocuments'>;
const Mutation: Mutations = {
  upsertDocument: (_, { input }, context) => {
    requireRole(context, 'WRITER');
    const refused = { document: null, outcome: null, changes: null, searchable: false, warnings: [] };
    return withUserErrors(refused, () =>
      context.ingest.upsertDocument(context.scope, upsertInput(input), { signal: context.signal }),
    );
  },

  updateDocument: (_, { input }, context) => {
    requireRole(context, 'WRITER');
    return withUserErrors({ document: null }, async () => {
      const { store, scope } = context;
      const [key, changes] = [targetOf(input), attributeChanges(input)];
      const document = key && (await store.updateAttributes(scope, key, changes, input.expectedRevision ?? undefined));
      if (document === null) throw noSuchDocument(input);
      return { document };
    });
  },

  deleteDocument: (_, { input }, context) => {
    requireRole(context, 'WRITER');
    return withUserErrors({ deletedDocumentId: null, deletedChunks: 0 }, async () => {
      const key = targetOf(input);
      const { store, scope } = context;
      const deleted = key && (await store.deleteDocument(scope, key, input.expectedRevision ?? undefined));
      if (deleted === null) throw noSuchDocument(input);
      return { deletedDocumentId: encodeNodeId('Document', deleted.id), deletedChunks: deleted.deletedChunks };
    });
  },

  deleteDocuments: (_, { input }, context) => {
    requireRole(context, 'WRITER');
    const { store, scope } = context;
    const filter = documentFilter(input.filter, 'input.filter');
    return withUserErrors({ deletedDocuments: 0, deletedChunks: 0 }, () =>
      store.deleteDocuments(scope, filter, { dryRun: input.dryRun }),
    );
  },
};

const Document: DocumentResolvers = {
  id: ({ id }) => encodeNodeId('Document', id),
  text: ({ id, textLength }, _, { loaders, text }) =>
    text.read(textLength, async () => (await loaders.documentText.load(id)) ?? disappeared('document')),
  chunks: async (document, { first, after }, { store, scope, loaders }, info) => {
    const page = isFirstPageWithoutCursors(after, info)
      ? await firstChunks(document, first, loaders)
      : await store.listChunks(scope, document.id, { first, ...(after == null ? {} : { after }) });
    return { page, after: after ?? null, totalCount: () => document.chunkCount };
  },
  // Whichever was active when the version was stored: every chunk has a vector in the one that is active now.
  embeddingSpace: ({ version }, _, { loaders }) => (version === 0 ? null : loaders.activeSpace.load('ACTIVE')),
};

const DocumentConnection: DocumentConnectionResolvers = connectionResolvers<DocumentRecord>();

export const document = { Query, Mutation, Document, DocumentConnection };
