import { GatewayFailure, type GatewayQuestion, type Problem } from "./failure.js";

/** Details of a failure, in GraphQL's `extensions` or REST's `error`. */
interface Details {
  readonly details?: readonly Problem[];
  readonly questions?: readonly GatewayQuestion[];
}

/** An answer from GraphQL or REST. */
export interface GatewayAnswer {
  readonly data?: unknown;
  readonly error?: Details & { readonly code: string; readonly message: string };
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: Details & { readonly code?: string };
  }[];
}

/** A request to the gateway. */
export interface GatewayRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request with the session's cookie. Returns `data` of the answer, from GraphQL and REST alike. Throws
 * GatewayFailure if the answer has errors or does not arrive, and an AbortError if `signal` is aborted.
 */
export async function send<Data>(path: string, { method, body, signal }: GatewayRequest): Promise<Data> {
  const { answer, retryAfter } = await readAnswer(path, {
    method,
    credentials: "same-origin",
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
  return dataOf<Data>(answer, retryAfter);
}

/** Sends JSON to the gateway with POST. */
export const post = <Data>(path: string, body: object, signal?: AbortSignal): Promise<Data> =>
  send(path, { method: "POST", body, signal });

/** Returns `data` of an answer; throws GatewayFailure if it has errors. `seconds` is the Retry-After header. */
export function dataOf<Data>(answer: GatewayAnswer, seconds: string | null): Data {
  const retryAfter = seconds === null ? null : Number(seconds);
  const [failure] = answer.errors ?? [];
  if (failure) {
    const { code = "INTERNAL_ERROR", details, questions } = failure.extensions ?? {};
    // Field names in forms omit the mutation's argument.
    const problems = details?.map(({ path, message }) => ({
      path: path.replace(/^input\./, ""),
      // Removes the code at the start of a message, which is for programs.
      message: message.replace(/^[A-Z]+(_[A-Z]+)+: /, ""),
    }));
    throw new GatewayFailure(code, failure.message, { problems, questions, retryAfter });
  }
  if (answer.error) {
    const { code, message, details, questions } = answer.error;
    throw new GatewayFailure(code, message, { problems: details, questions, retryAfter });
  }
  return answer.data as Data;
}

/** Reads an answer. Throws `OFFLINE` if none arrives, or if it is not JSON and thus from a proxy. */
async function readAnswer(path: string, init: RequestInit) {
  try {
    const response = await fetch(path, init);
    const answer: GatewayAnswer = await response.json();
    return { answer, retryAfter: response.headers.get("Retry-After") };
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw offline();
  }
}

/** Creates the failure for a gateway that does not answer. */
export const offline = () =>
  new GatewayFailure("OFFLINE", "The gateway did not answer. Check your connection, then try again.");
