import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  parse,
  validate,
} from "graphql";
import type { z } from "zod";
import type { Context } from "../access/context.js";
import type { Scope } from "../domain/scopes.js";
import type { TypedQuery } from "../generated/queries.js";

/** One line of the contract's table of endpoints: where it is, what it asks the graph, how the answer is reshaped. */
export interface Endpoint {
  /** After `/ext/v1`. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** The scope that a key needs; checked at start against what the query's fields require. */
  readonly scope: Scope;
  readonly query: string;
  /** Shape of `data`, for the API's description. */
  readonly data: z.ZodType;
  readonly example: unknown;
  // A method, so that an endpoint of any query fits into one list.
  reshape(result: unknown): unknown;
}

export interface EndpointDefinition<Result, Data> extends Pick<Endpoint, "path" | "summary" | "scope"> {
  readonly query: TypedQuery<Result>;
  readonly data: z.ZodType<Data>;
  readonly example: NoInfer<Data>;
  /** Result of the query → `data` of the envelope, keys in the contract's order. */
  readonly reshape: (result: Present<Result>) => Data;
}

/** Root fields are nullable for want of a scope alone, and then there is an error and nothing to reshape. */
type Present<Result> = { [Field in keyof Result]: NonNullable<Result[Field]> };

export function endpoint<Result, Data>(definition: EndpointDefinition<Result, Data>): Endpoint {
  const { query, reshape, ...rest } = definition;
  return { ...rest, query: query.source, reshape: (result) => reshape(result as Present<Result>) };
}

interface PreparedEndpoint {
  /** Of its query, in points, as of any operation. */
  readonly cost: number;
  /** Executes the query in process and reshapes the result. */
  run(context: Context): Promise<unknown>;
}

/** What is known of documents. */
export interface DocumentReaders {
  /** Scopes that a document's fields require, in no order. */
  readonly scopesOf: (schema: GraphQLSchema, document: DocumentNode) => Scope[];
  readonly costOf: (schema: GraphQLSchema, document: DocumentNode) => number;
}

/**
 * Makes an endpoint ready to run. Throws, and so stops the server from starting, where the query does not fit the schema,
 * or needs other scopes than the endpoint declares.
 */
export function prepareEndpoint(
  schema: GraphQLSchema,
  { path, query, scope, reshape }: Endpoint,
  { scopesOf, costOf }: DocumentReaders,
): PreparedEndpoint {
  const document = parse(query);
  const [problem] = validate(schema, document);
  if (problem) throw new Error(`endpoint ${path}: its query does not fit the schema: ${problem.message}`);
  const needed = scopesOf(schema, document);
  if (needed.length !== 1 || needed[0] !== scope) {
    throw new Error(
      `endpoint ${path}: it declares ${scope}, and its query needs ${needed.join(", ") || "no scope"}`,
    );
  }
  return {
    cost: costOf(schema, document),
    async run(contextValue) {
      const result: ExecutionResult = await execute({ schema, document, contextValue });
      const [error] = result.errors ?? [];
      if (error) throw error.originalError ?? error;
      return reshape(result.data);
    },
  };
}
