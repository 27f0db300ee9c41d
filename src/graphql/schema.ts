import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  GraphQLSpecifiedByDirective,
  getDirectiveValues,
  isScalarType,
} from 'graphql';
import type { RequestContext } from './context.js';
import { makeLoaders } from './loaders.js';
import { resolvers } from './resolvers/index.js';
import { readTypeDefs } from './type-defs.js';

export function makeSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({ typeDefs: [...readTypeDefs()], resolvers: resolvers as UntypedResolvers });
  for (const field of Object.values(schema.getMutationType()?.getFields() ?? {}))
    if (field.resolve) field.resolve = withFreshLoaders(field.resolve as Mutate);
  describeScalars(schema);
  return schema;
}

/** Scalars that come with code lose what the SDL says of them. */
function describeScalars(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isScalarType(type) || !type.astNode) continue;
    type.description ??= type.astNode.description?.value;
    type.specifiedByURL ??= getDirectiveValues(GraphQLSpecifiedByDirective, type.astNode)?.url as string | undefined;
  }
}

type UntypedResolvers = Parameters<typeof makeExecutableSchema>[0]['resolvers'];
type Mutate = GraphQLFieldResolver<unknown, RequestContext>;

/** Root mutations run in series: the loaders of the one before have seen an older state. */
function withFreshLoaders(resolve: Mutate): Mutate {
  return async (source, args, context, info) => {
    try {
      return await resolve(source, args, context, info);
    } finally {
      context.loaders = makeLoaders(context.store, context.scope);
    }
  };
}
