import { GatewayFailure, type Problem } from "./failure.js";

interface RestAnswer {
  readonly data?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: readonly Problem[] };
}

interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly details?: readonly Problem[] };
  }[];
}

/**
 * Sends JSON to the gateway with the session's cookie, and returns `data` of its answer, from GraphQL and REST alike.
 * Throws GatewayFailure for everything else.
 */
export async function post<Data>(path: string, body: object, signal?: AbortSignal): Promise<Data> {
  const answer = await readAnswer(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    credentials: "same-origin",
    ...(signal && { signal }),
  });
  const [failure] = answer.errors ?? [];
  if (failure) {
    const { code = "INTERNAL_ERROR", details } = failure.extensions ?? {};
    throw new GatewayFailure(code, failure.message, details);
  }
  if (answer.error) throw new GatewayFailure(answer.error.code, answer.error.message, answer.error.details);
  return answer.data as Data;
}

/** A proxy in front of a gateway that is away answers as well, but not in JSON. */
async function readAnswer(path: string, init: RequestInit): Promise<RestAnswer & GraphqlAnswer> {
  try {
    return await (await fetch(path, init)).json();
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new GatewayFailure("OFFLINE", "The gateway did not answer. Check your connection, then try again.");
  }
}
