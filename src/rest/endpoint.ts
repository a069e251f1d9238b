import { type DocumentNode, getOperationAST, OperationTypeNode } from "graphql";
import type { z } from "zod";
import type { Admission } from "../access/admission.js";
import type { AdmittedContext } from "../access/context.js";
import type { Scope } from "../domain/scopes.js";
import type { ErrorCode } from "../errors.js";
import type { TypedOperation } from "../generated/operations.js";
import type { BodyLimit } from "../http/body/body.js";
import type { UploadedFile } from "../http/body/upload.js";
import type { IncomingCall } from "../http/incoming-call.js";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Values of a request: path parameters, query parameters and JSON body. */
export interface Input<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The version in `If-Match`, for changes to versioned objects; null without the header, for `*` and for GET. */
  readonly expectedVersion: number | null;
}

/** Location of a REST endpoint, and the shapes of its input and output. */
interface EndpointDescription {
  readonly method: Method;
  /** Path below the prefixes of its group. `{name}` matches one segment. */
  readonly path: `/${string}`;
  readonly summary: string;
  /** Its tag in the OpenAPI description: a folder of src/operations; `data` if omitted. */
  readonly area?: string;
  /**
   * Shapes of the request parts that the endpoint reads. It ignores the others, except that the wider API refuses query
   * parameters without a shape.
   */
  readonly input: Partial<Readonly<Record<"params" | "query" | "body", z.ZodType>>>;
  /** Maximum size of the body; 256 kB if omitted. */
  readonly bodyLimit?: BodyLimit | undefined;
  /** Shape of `data`, for the OpenAPI description. */
  readonly data: z.ZodType;
  readonly example: unknown;
  /** Present if it answers 201. `sometimes` means that it may create nothing, and then answers 200. */
  readonly creates?: "always" | "sometimes" | undefined;
  /** True if it answers 202, because the outcome is decided later. */
  readonly isAccepted?: boolean;
  /** Error codes for the OpenAPI description that cannot be derived from the rest of the definition. */
  readonly failures?: readonly ErrorCode[];
}

/** An endpoint that runs an operation of the graph and reshapes the result. */
export interface OperationEndpoint extends EndpointDescription {
  /**
   * The scope or scopes that a caller needs. Null allows any signed-in user; an empty list also allows any API key and
   * service account. Compared with the operation's fields when the endpoint is prepared, unless derived from them.
   */
  readonly scope: Scope | readonly Scope[] | null;
  /** True if service accounts may also call an endpoint whose scope is null. */
  readonly serviceAccounts?: boolean;
  /** One query or mutation, with its fragments. Only a GET may be cached, so a mutation needs another method. */
  readonly operation: string | DocumentNode;
  // Declared as methods, so that endpoints with different inputs and results fit into one list.
  /** Converts the input to variables of the operation, as JSON. May be absent if the operation has none. */
  variables?(input: Input): Readonly<Record<string, unknown>>;
  reshape(result: unknown, body: unknown): unknown;
  /** Returns the path in the body for a faulty part of the graph's input. If omitted, the path has REST's spelling. */
  problemPath?(path: string, body: unknown): string;
  /** Name of its operation in the catalogue. */
  readonly name?: string;
  /**
   * Returns the location in the request of a part of the graph's input, such as `body.country`. Only catalogue
   * operations have this.
   */
  placeOf?(path: string): string | undefined;
  /** True if a catalogue operation compares the version in `If-Match`. */
  readonly comparesVersion?: boolean;
  /** Returns the id of the created resource; undefined if none was created, and null if several were. */
  createdId?(data: unknown, result: unknown): string | null | undefined;
  /** Path of the list that contains the created resource, below the prefix; the endpoint's own path if omitted. */
  readonly createdIn?: `/${string}`;
  /** Returns the version of the answer, for `ETag`; undefined for several objects. */
  readonly version?: ((data: unknown) => number | undefined) | undefined;
  /**
   * Returns true if the data of a version never changes, so a client with that version needs no copy. True if omitted.
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
 * An endpoint that runs no operation of the graph, such as signing in, adding a passkey, or checking a public
 * certificate. It does not count against the hourly limit.
 */
export interface SessionEndpoint extends EndpointDescription {
  readonly needsSession: boolean;
  /** True if it sets or clears the cookie of a browser's session. */
  readonly setsCookie: boolean;
  /** Checks the caller before reading the input, so that a caller without access learns nothing else. */
  handle(incomingCall: IncomingCall, readInput: () => Promise<Input>): Promise<Reply>;
}

/** Lines of a stream, and the variables of the operation that reads the next ones; null after the last. */
export interface Lines<Line = unknown, Variables = Readonly<Record<string, unknown>>> {
  readonly lines: readonly Line[];
  readonly next: Variables | null;
}

/** An endpoint that streams lines of JSON (NDJSON) or CSV. It runs a GraphQL query once per page of a list. */
export interface StreamEndpoint extends EndpointDescription {
  /** The scope that a caller needs. */
  readonly scope: Scope;
  /** The text of a query. For the first page, its variables are the path parameters. */
  readonly operation: string;
  /** Shape of a line. */
  readonly data: z.ZodType;
  /** For CSV: the columns. Their values need no quotes. */
  readonly columns?: readonly string[];
  readLines(result: unknown): Lines;
}

/** An uploaded file. */
export interface ReceivedFile extends UploadedFile {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * An endpoint that accepts a file, as its body or in a form. Unlike other writes of an organization's data, it is not a
 * mutation: it reads a large file as it arrives, whereas a variable of the graph must fit into memory.
 */
export interface UploadEndpoint extends EndpointDescription {
  /** The scope that a caller needs. */
  readonly scope: Scope;
  /** The file's media type, such as `text/csv`. */
  readonly fileType: string;
  /** Maximum size of the body, in bytes. */
  readonly maxBytes: number;
  /** True if it changes nothing. */
  readonly isRead: boolean;
  /** Processes the file, and resolves to `data`. If it rejects, it keeps nothing of the file. */
  receive(context: AdmittedContext, input: Input, file: ReceivedFile): Promise<unknown>;
}

/** A file sent while it is being written. */
export interface Download {
  readonly mediaType: string;
  /** Suggested file name. */
  readonly name: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Buffer>;
  /** Called when the file has been sent or its client has disconnected, usually twice. */
  close(): Promise<void>;
}

/** An endpoint that returns a file of any size. */
export interface DownloadEndpoint extends EndpointDescription {
  /** The scope that a caller needs. */
  readonly scope: Scope;
  /**
   * Its possible media types, each with the beginning of an example file, or with the parsed content of one in JSON.
   */
  readonly files: Readonly<Record<string, string | object>>;
  /**
   * Opens the file. Only errors thrown before it resolves are sent in the envelope. It may reject once `signal` is
   * aborted, because the client has disconnected.
   */
  open(context: AdmittedContext, input: Input, signal: AbortSignal): Promise<Download>;
}

/** An endpoint that computes its answer from any number of rows, which takes longer than an operation may. */
export interface ComputedEndpoint extends EndpointDescription {
  /** The scope that a caller needs. */
  readonly scope: Scope;
  /** Resolves to `data`. Rejects if `signal` is aborted, for example because the client has disconnected. */
  compute(context: AdmittedContext, input: Input, signal: AbortSignal): Promise<unknown>;
}

/** An endpoint that streams Server-Sent Events until the client disconnects. */
export interface LiveEndpoint extends EndpointDescription {
  /** Scopes that a caller needs. None, because `listen` checks them. */
  readonly scope: readonly [];
  /** Shape of an event's data. */
  readonly data: z.ZodType;
  /** Opens the stream. Rejects if an error occurs before its first part. */
  listen(incomingCall: IncomingCall, admission: Admission, input: Input): Promise<AsyncIterable<string>>;
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
/** Returns true if the endpoint runs a mutation. It then refuses API keys. */
export function isMutation(endpoint: Endpoint): boolean {
  if (!isOperation(endpoint)) return false;
  const { operation } = endpoint;
  if (typeof operation === "string") return /^\s*mutation\b/.test(operation);
  return getOperationAST(operation)?.operation === OperationTypeNode.MUTATION;
}
/** Returns true if the endpoint changes something and honours `Idempotency-Key`. */
export const isRepeatable = (endpoint: Endpoint): boolean =>
  (isUpload(endpoint) ? !endpoint.isRead : isMutation(endpoint)) && !isAboutSession(endpoint);
/** Returns true if the endpoint is about the caller's own account: sessions, password, e-mail address or factors. */
export const isAboutSession = ({ path }: Pick<Endpoint, "path">): boolean => path.startsWith("/auth/");
/** Returns true if the endpoint is a write that compares the version in `If-Match`. */
export function acceptsIfMatch(endpoint: Endpoint): boolean {
  if (endpoint.method === "GET" || !isOperation(endpoint)) return false;
  const { operation } = endpoint;
  if (typeof operation === "string") return operation.includes("$expectedVersion");
  return endpoint.comparesVersion === true;
}
/** Returns true if the endpoint's answer may have a version, for `ETag`. */
export const hasETag = (endpoint: Endpoint): boolean =>
  isOperation(endpoint) && endpoint.version !== undefined;
export const isStream = (endpoint: Endpoint): endpoint is StreamEndpoint => "readLines" in endpoint;
export const isLive = (endpoint: Endpoint): endpoint is LiveEndpoint => "listen" in endpoint;
export const isUpload = (endpoint: Endpoint): endpoint is UploadEndpoint => "receive" in endpoint;
export const isDownload = (endpoint: Endpoint): endpoint is DownloadEndpoint => "open" in endpoint;
export const isComputed = (endpoint: Endpoint): endpoint is ComputedEndpoint => "compute" in endpoint;
/** Returns true if the endpoint checks the caller's scopes, and counts the request. */
export const hasScope = (endpoint: Endpoint): endpoint is Exclude<Endpoint, SessionEndpoint> =>
  "scope" in endpoint;

/**
 * Returns true if the endpoint at this path of the wider API accepts HTTP Basic, which is for programs that load whole
 * tables and support nothing else.
 */
export const acceptsBasic = (path: string): boolean =>
  /^\/(changes\/|emissions\/records\/(export|digest)$)/.test(path);

/** Endpoints below the same prefixes. The first prefix starts with the API's base, `/api/v1`. */
export interface EndpointGroup {
  /** True if the endpoints accept only API keys; otherwise, they also accept sessions and service account tokens. */
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
  /** Path parameters, each a string. */
  readonly params?: z.ZodType<Params>;
  /** Query parameters: each a string, or an array of strings if the request repeats it. */
  readonly query?: z.ZodType<Query>;
  /** The JSON body. */
  readonly body?: z.ZodType<Body>;
  readonly data: z.ZodType<Data>;
  readonly example: NoInfer<Data>;
  /** Converts the operation's result to `data` of the envelope, with keys in the contract's order. */
  readonly reshape: (result: Present<Result>, body: Body) => Data;
  /** Returns the path in the body for a faulty part of the graph's input. If omitted, the path has REST's spelling. */
  readonly problemPath?: (path: string, body: Body) => string;
  /** Returns the version of the answer, for `ETag`; undefined for several objects. */
  readonly version?: (data: Data) => number | undefined;
  /**
   * Returns true if the data of a version never changes, so a client with that version needs no copy. True if omitted.
   */
  readonly isVersioned?: (data: Data) => boolean;
} & VariablesOf<Variables, Input<Params, Query, Body>>;

/**
 * The result without null root fields. A root field is null only if a scope is missing or no object has the id, and
 * such a result is not reshaped.
 */
type Present<Result> = { [Field in keyof Result]: NonNullable<Result[Field]> };

/** Creates an endpoint, checking that the types of its definition fit together. */
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
  /** Path parameters, each a string. */
  readonly params?: z.ZodType;
  readonly columns?: readonly (keyof Line & string)[];
  readonly operation: TypedOperation<Result, Variables>;
  readonly data: z.ZodType<Line>;
  readonly example: NoInfer<Line>;
  readonly readLines: (result: Present<Result>) => Lines<NoInfer<Line>, Variables>;
};

/** Creates a stream, checking that the types of its definition fit together. */
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
