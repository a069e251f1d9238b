import { type DocumentNode, getOperationAST, OperationTypeNode } from "graphql";
import type { z } from "zod";
import type { Admission } from "../access/admission.js";
import type { AdmittedContext } from "../access/context.js";
import type { Scope } from "../domain/scopes.js";
import type { ErrorCode } from "../errors.js";
import type { TypedOperation } from "../generated/operations.js";
import type { Arrival } from "../http/arrival.js";
import type { BodyLimit } from "../http/body.js";
import type { UploadedFile } from "../http/upload.js";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The values of a request: in its path, its query parameters and its JSON body. */
export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The version in `If-Match`, for a change to something with versions; null without the header. */
  readonly expectedVersion: number | null;
}

/** Location of a REST endpoint, and the shapes of its input and its answer. */
interface Described {
  readonly method: Method;
  /** Path below the prefixes of its group. `{name}` stands for one segment. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Its tag in the OpenAPI description: a folder of src/operations. */
  readonly area?: string;
  /** Shapes of the parts of a request that the endpoint reads. It ignores the others. */
  readonly input: Partial<Readonly<Record<"params" | "query" | "body", z.ZodType>>>;
  /** Limit of the body's size; 256 kB if omitted. */
  readonly bodyLimit?: BodyLimit | undefined;
  /** Shape of `data`, for the OpenAPI description. */
  readonly data: z.ZodType;
  readonly example: unknown;
  /** Present if it answers 201; `sometimes` if the resource may exist already. */
  readonly creates?: "always" | "sometimes" | undefined;
  /** True if it answers 202, because the outcome is decided later. */
  readonly isAccepted?: boolean;
  /** For the OpenAPI description: codes of failures that do not follow from the rest of the definition. */
  readonly failures?: readonly ErrorCode[];
}

/** An endpoint that runs an operation of the graph and reshapes the result. */
export interface OperationEndpoint extends Described {
  /**
   * The scope or scopes that a caller needs. Null allows any signed-in user, and an empty list any API key and service
   * account as well. The server checks them against the operation's fields at start.
   */
  readonly scope: Scope | readonly Scope[] | null;
  /** True if service accounts may call it, too, though its scope is null. */
  readonly serviceAccounts?: boolean;
  /** One query or mutation, with its fragments. Only a GET may be cached, so a mutation needs another method. */
  readonly operation: string | DocumentNode;
  // Methods, because endpoints with different input and results go into one list.
  /** Converts the input to variables of the operation, as JSON. Absent if the operation has none. */
  variables?(input: Input): Readonly<Record<string, unknown>>;
  reshape(result: unknown, body: unknown): unknown;
  /** Returns the path in the body for a faulty part of the graph's input; the same path in snake_case if omitted. */
  problemPath?(path: string, body: unknown): string;
  /** Name of its operation in the catalogue. */
  readonly name?: string;
  /**
   * Returns, for an operation of the catalogue, the place of a part of the graph's input in the request, such as
   * `body.country`.
   */
  placeOf?(path: string): string | undefined;
  /** For an operation of the catalogue: true if it compares the version in `If-Match`. */
  readonly comparesVersion?: boolean;
  /** Returns the id of the created resource; undefined if it existed already, and null if several were created. */
  createdId?(data: unknown, result: unknown): string | null | undefined;
  /** Path of the list with the created resource, below the prefix; the endpoint's own path if omitted. */
  readonly createdIn?: `/${string}`;
  /**
   * Returns the version of the answer, for `ETag`; undefined for several things. Methods other than GET then accept
   * `If-Match`.
   */
  readonly version?: ((data: unknown) => number | undefined) | undefined;
  /**
   * Returns true if the data of one version never changes, so a client with that version needs no copy. True if
   * omitted.
   */
  isVersioned?(data: unknown): boolean;
}

/** An endpoint's answer. */
export interface Reply {
  readonly data: unknown;
  /** 200 if omitted. */
  readonly status?: 201 | 202;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An endpoint about the caller's own session, which no operation of the graph can create, refresh or end. It costs no
 * budget.
 */
export interface SessionEndpoint extends Described {
  /** True if it needs a session. */
  readonly needsSession: boolean;
  /** True if it sets or clears the cookie of a browser's session. */
  readonly setsCookie: boolean;
  /** Checks the caller before it reads the input, so a caller without access learns nothing else. */
  handle(arrival: Arrival, readInput: () => Promise<Input>): Promise<Reply>;
}

/** Some lines of a stream, and the variables of the operation that reads the next ones; null after the last. */
export interface Lines<Line = unknown, Variables = Readonly<Record<string, unknown>>> {
  readonly lines: readonly Line[];
  readonly next: Variables | null;
}

/** An endpoint that streams lines of JSON (NDJSON) or CSV. It runs a query of the graph once for each page of a list. */
export interface StreamEndpoint extends Described {
  /** The scope that a caller needs. */
  readonly scope: Scope;
  /** The text of a query. It reads the first page, with the values in the path as its variables. */
  readonly operation: string;
  /** Shape of a line. */
  readonly data: z.ZodType;
  /** For CSV: the columns, whose values need no quotes. */
  readonly columns?: readonly string[];
  readLines(result: unknown): Lines;
}

/** An uploaded file. */
export interface ReceivedFile extends UploadedFile {
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/**
 * An endpoint that accepts a file, as its body or in a form. It is the only write that is not a mutation: it reads a
 * file of any size as it arrives, and a variable of the graph would be in memory as a whole.
 */
export interface UploadEndpoint extends Described {
  /** The scope that a user needs. */
  readonly scope: Scope;
  /** The file's media type, such as `text/csv`. */
  readonly fileType: string;
  /** The largest body, in bytes. */
  readonly mostBytes: number;
  /** True if it changes nothing. */
  readonly isRead: boolean;
  /** Receives the file; resolves to `data`. It keeps nothing of the file if it rejects. */
  receive(context: AdmittedContext, input: Input, file: ReceivedFile): Promise<unknown>;
}

/** A file that is sent while it is written. */
export interface Download {
  readonly mediaType: string;
  /** Name under which a browser saves it. */
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Buffer>;
  /** Called once the file was sent, or its client has left. */
  close(): Promise<void>;
}

/** An endpoint that answers with a file of any size. */
export interface DownloadEndpoint extends Described {
  /** The scope that a caller needs. */
  readonly scope: Scope;
  /** The media types that it can have, each with the beginning of such a file, or the parsed content of one in JSON. */
  readonly files: Readonly<Record<string, string | object>>;
  /**
   * Opens the file. Only what it throws before it resolves is answered in the envelope. It may reject once `signal` is
   * aborted, because the client has left.
   */
  open(context: AdmittedContext, input: Input, signal: AbortSignal): Promise<Download>;
}

/** An endpoint that computes its answer from any number of rows, which takes longer than an operation may. */
export interface ComputedEndpoint extends Described {
  /** The scope that a caller needs. */
  readonly scope: Scope;
  /** Resolves to `data`; rejects if `signal` is aborted, as when the client leaves. */
  compute(context: AdmittedContext, input: Input, signal: AbortSignal): Promise<unknown>;
}

/** An endpoint that streams Server-Sent Events until the client leaves. */
export interface LiveEndpoint extends Described {
  /** Scopes that a caller needs; none, as `listen` checks them. */
  readonly scope: readonly [];
  /** Shape of the data of an event. */
  readonly data: z.ZodType;
  /** Opens the stream. Rejects if an error occurs before its first part. */
  listen(arrival: Arrival, admission: Admission, input: Input): Promise<AsyncIterable<string>>;
}

export type Endpoint =
  | OperationEndpoint
  | StreamEndpoint
  | SessionEndpoint
  | UploadEndpoint
  | DownloadEndpoint
  | ComputedEndpoint
  | LiveEndpoint;

export const isOperation = (endpoint: Endpoint): endpoint is OperationEndpoint => "reshape" in endpoint;
/** Returns true if the endpoint runs a mutation. It refuses API keys then. */
export function isMutation(endpoint: Endpoint): boolean {
  if (!isOperation(endpoint)) return false;
  const { operation } = endpoint;
  if (typeof operation === "string") return /^\s*mutation\b/.test(operation);
  return getOperationAST(operation)?.operation === OperationTypeNode.MUTATION;
}
/** Returns true if the endpoint changes something and honours `Idempotency-Key`. */
export const isRepeatable = (endpoint: Endpoint): boolean =>
  (isUpload(endpoint) ? !endpoint.isRead : isMutation(endpoint)) && !isAboutSession(endpoint);
/** Returns true if the endpoint begins, continues or ends sessions. */
export const isAboutSession = ({ path }: Pick<Endpoint, "path">): boolean => path.startsWith("/auth/");
/** Returns true if the endpoint is a write that compares the version in `If-Match`. */
export function hasVersions(endpoint: Endpoint): boolean {
  if (endpoint.method === "GET" || !isOperation(endpoint)) return false;
  const { operation } = endpoint;
  if (typeof operation === "string") return operation.includes("$expectedVersion");
  return endpoint.comparesVersion === true;
}
/** Returns true if the endpoint's answer may have a version, for `ETag`. */
export const hasVersion = (endpoint: Endpoint): boolean =>
  isOperation(endpoint) && endpoint.version !== undefined;
export const isStream = (endpoint: Endpoint): endpoint is StreamEndpoint => "readLines" in endpoint;
export const isLive = (endpoint: Endpoint): endpoint is LiveEndpoint => "listen" in endpoint;
export const isUpload = (endpoint: Endpoint): endpoint is UploadEndpoint => "receive" in endpoint;
export const isDownload = (endpoint: Endpoint): endpoint is DownloadEndpoint => "open" in endpoint;
export const isComputed = (endpoint: Endpoint): endpoint is ComputedEndpoint => "compute" in endpoint;
/** Returns true if the endpoint checks the scopes of an API key or a session, and counts the request. */
export const hasScope = (endpoint: Endpoint): endpoint is Exclude<Endpoint, SessionEndpoint> =>
  "scope" in endpoint;

/**
 * Returns true if the endpoint at this path of the wider API accepts HTTP Basic, for programs that load whole tables and
 * know nothing else.
 */
export const acceptsBasic = (path: string): boolean =>
  /^\/(changes\/|emissions\/records\/(export|digest)$)/.test(path);

/** Endpoints below the same prefixes. The first prefix begins with the API's base, `/api/v1`. */
export interface EndpointGroup {
  /** True if the endpoints accept only API keys as credentials; otherwise they accept users' sessions as well. */
  readonly keysOnly: boolean;
  readonly prefixes: readonly string[];
  readonly endpoints: readonly Endpoint[];
}

type VariablesOf<Variables, From> =
  Record<never, never> extends Variables
    ? { readonly variables?: (input: From) => Variables }
    : { readonly variables: (input: From) => Variables };

export type EndpointDefinition<Result, Variables, Data, Params, Query, Body> = Pick<
  OperationEndpoint,
  "path" | "summary" | "scope" | "failures"
> & {
  /** GET if omitted. */
  readonly method?: Method;
  readonly operation: TypedOperation<Result, Variables>;
  /** Values in the path, each a string. */
  readonly params?: z.ZodType<Params>;
  /** Query parameters: each a string, or an array of strings if the request repeats it. */
  readonly query?: z.ZodType<Query>;
  /** The JSON body. */
  readonly body?: z.ZodType<Body>;
  readonly data: z.ZodType<Data>;
  readonly example: NoInfer<Data>;
  /** Converts the operation's result to `data` of the envelope, keys in the contract's order. */
  readonly reshape: (result: Present<Result>, body: Body) => Data;
  /** Returns the path in the body for a faulty part of the graph's input; the same path in snake_case if omitted. */
  readonly problemPath?: (path: string, body: Body) => string;
  /**
   * Returns the version of the answer, for `ETag`; undefined for several things. Methods other than GET then accept
   * `If-Match`.
   */
  readonly version?: (data: Data) => number | undefined;
  /**
   * Returns true if the data of one version never changes, so a client with that version needs no copy. True if
   * omitted.
   */
  readonly isVersioned?: (data: Data) => boolean;
} & VariablesOf<Variables, Input<Params, Query, Body>>;

/**
 * A root field is null only if a scope is missing or no object has the id. The endpoint does not reshape such a result.
 */
type Present<Result> = { [Field in keyof Result]: NonNullable<Result[Field]> };

/** Creates an endpoint from a definition whose types fit each other. */
export function endpoint<Result, Variables, Data, Params, Query, Body>(
  definition: EndpointDefinition<Result, Variables, Data, Params, Query, Body>,
): OperationEndpoint {
  const {
    method = "GET",
    operation,
    params,
    query,
    body,
    variables,
    reshape,
    problemPath,
    version,
    isVersioned,
    failures,
    ...rest
  } = definition;
  return {
    ...rest,
    method,
    operation: operation.source,
    input: { ...(params && { params }), ...(query && { query }), ...(body && { body }) },
    ...(variables && {
      variables: (input) => variables(input as Input<Params, Query, Body>) as Record<string, unknown>,
    }),
    reshape: (result, body) => reshape(result as Present<Result>, body as Body),
    ...(problemPath && { problemPath: (path, body) => problemPath(path, body as Body) }),
    ...(failures && { failures }),
    ...(version && { version: (data) => version(data as Data) }),
    ...(isVersioned && { isVersioned: (data) => isVersioned(data as Data) }),
  };
}

type StreamDefinition<Result, Variables, Line> = Pick<StreamEndpoint, "path" | "summary" | "scope"> & {
  /** Values in the path, each a string. */
  readonly params?: z.ZodType;
  readonly columns?: readonly (keyof Line & string)[];
  readonly operation: TypedOperation<Result, Variables>;
  readonly data: z.ZodType<Line>;
  readonly example: NoInfer<Line>;
  readonly readLines: (result: Present<Result>) => Lines<NoInfer<Line>, Variables>;
};

/** Creates a stream from a definition whose types fit each other. */
export function stream<Result, Variables, Line>(
  definition: StreamDefinition<Result, Variables, Line>,
): StreamEndpoint {
  const { operation, readLines, params, ...rest } = definition;
  return {
    ...rest,
    method: "GET",
    operation: operation.source,
    input: { ...(params && { params }) },
    readLines: (result) => readLines(result as Present<Result>) as Lines,
  };
}
