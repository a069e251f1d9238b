import type { z } from "zod";
import type { Scope } from "../domain/scopes.js";
import type { TypedOperation } from "../generated/operations.js";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a request brings: the values in its path, its query parameters and its JSON body. */
export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
}

/** One REST endpoint as data: where it is, which operation of the graph it runs, and how it reshapes the result. */
export interface Endpoint {
  readonly method: Method;
  /** Below the prefixes of its group. `{name}` stands for one segment. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** The scope that a caller needs. At start it is checked against what the operation's fields require. */
  readonly scope: Scope;
  /** The text of one query or mutation. Only a GET may be cached, so a mutation needs another method. */
  readonly operation: string;
  /** Shapes of the parts of a request that the endpoint reads. It ignores the others. */
  readonly input: Partial<Readonly<Record<keyof Input, z.ZodType>>>;
  /** Shape of `data`, for the OpenAPI description. */
  readonly data: z.ZodType;
  readonly example: unknown;
  // Methods, because endpoints with different input and results go into one list.
  /** Input → variables of the operation, as JSON. Absent if the operation takes none. */
  variables?(input: Input): Readonly<Record<string, unknown>>;
  reshape(result: unknown): unknown;
}

/** Endpoints that are served below the same prefixes. The first prefix begins with the API's base, `/api/v1`. */
export interface EndpointGroup {
  readonly prefixes: readonly string[];
  readonly endpoints: readonly Endpoint[];
}

type VariablesOf<Variables, From> =
  Record<never, never> extends Variables
    ? { readonly variables?: (input: From) => Variables }
    : { readonly variables: (input: From) => Variables };

export type EndpointDefinition<Result, Variables, Data, Params, Query, Body> = Pick<
  Endpoint,
  "path" | "summary" | "scope"
> & {
  /** GET if it is left out. */
  readonly method?: Method;
  readonly operation: TypedOperation<Result, Variables>;
  /** Values in the path, each a string. */
  readonly params?: z.ZodType<Params>;
  /** Query parameters: each a string, or an array of strings if it is repeated. */
  readonly query?: z.ZodType<Query>;
  /** The JSON body. */
  readonly body?: z.ZodType<Body>;
  readonly data: z.ZodType<Data>;
  readonly example: NoInfer<Data>;
  /** Result of the operation → `data` of the envelope, keys in the contract's order. */
  readonly reshape: (result: Present<Result>) => Data;
} & VariablesOf<Variables, Input<Params, Query, Body>>;

/** Root fields are null only if a scope is missing. Then there is an error and nothing to reshape. */
type Present<Result> = { [Field in keyof Result]: NonNullable<Result[Field]> };

/** Makes an endpoint of a definition whose types fit each other. */
export function endpoint<Result, Variables, Data, Params, Query, Body>(
  definition: EndpointDefinition<Result, Variables, Data, Params, Query, Body>,
): Endpoint {
  const { method = "GET", operation, params, query, body, variables, reshape, ...rest } = definition;
  return {
    ...rest,
    method,
    operation: operation.source,
    input: { ...(params && { params }), ...(query && { query }), ...(body && { body }) },
    ...(variables && {
      variables: (input) => variables(input as Input<Params, Query, Body>) as Record<string, unknown>,
    }),
    reshape: (result) => reshape(result as Present<Result>),
  };
}
