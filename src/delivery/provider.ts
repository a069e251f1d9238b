import { request as requestPlain } from "node:http";
import { request } from "node:https";
import { createFindAddresses, createFindFault, lookUpPinned, type PinnedOptions } from "./pinned.js";

/** Network access to identity providers. */
export interface ProviderOptions extends PinnedOptions {
  /** A certificate to trust in addition to the usual ones. */
  readonly ca?: string;
}

const TIME_LIMIT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/** The gateway could not get a usable answer from a provider. */
export class ProviderUnreachable extends Error {}

export interface ProviderRequest {
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Sends a request to an identity provider. Rejects with ProviderUnreachable. */
export type AskProvider = (url: string, request: ProviderRequest) => Promise<ProviderAnswer>;

/** Client for identity providers, whose URLs users enter. */
export interface ProviderAccess {
  /** Returns the reason why the gateway may not call a URL (`must …`); undefined if it may. */
  findFault(url: string): Promise<string | undefined>;
  readonly ask: AskProvider;
}

/**
 * Creates the client for identity providers. It checks addresses as for webhooks, waits at most 5 seconds, reads at
 * most 256 KiB and follows no redirect.
 */
export function createProviderAccess({ ca, ...options }: ProviderOptions = {}): ProviderAccess {
  const findAddresses = createFindAddresses(options, "OIDC_ALLOW_NETWORKS");
  const ask: AskProvider = async (text, sent) => {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    if (!URL.canParse(text)) throw new ProviderUnreachable("the provider's URL is malformed");
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol))
      throw new ProviderUnreachable("the provider's URL must begin with https://");
    const addresses = await findAddresses(url, signal).catch((error: Error) => {
      throw new ProviderUnreachable(`the provider's URL ${error.message}`);
    });
    const answer = await send(url, addresses, sent, { signal, ca });
    if (answer.status >= 300 && answer.status < 400)
      throw new ProviderUnreachable(`the provider answered ${answer.status}: redirects are not followed`);
    return answer;
  };
  return { ask, findFault: createFindFault(findAddresses, TIME_LIMIT_MS) };
}

function send(
  url: URL,
  addresses: readonly string[],
  { method, headers, body }: ProviderRequest,
  { signal, ca }: { readonly signal: AbortSignal; readonly ca: string | undefined },
): Promise<ProviderAnswer> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) =>
      reject(new ProviderUnreachable(`the provider ${signal.aborted ? "did not answer in time" : reason}`));
    const outgoing = (url.protocol === "https:" ? request : requestPlain)(
      url,
      {
        method,
        agent: false,
        lookup: lookUpPinned(addresses),
        signal,
        ...(ca && { ca }),
        headers: {
          "User-Agent": "carbon-gateway",
          ...headers,
          ...(body !== undefined && { "Content-Length": Buffer.byteLength(body) }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes <= MAX_BYTES) return;
          fail("sent more than 256 KiB");
          outgoing.destroy();
        });
        response.on("error", () => fail("aborted its response"));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"] ?? "",
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => fail(`cannot be reached (${error.code})`));
    outgoing.on("close", () => fail("closed the connection"));
    outgoing.end(body);
  });
}
