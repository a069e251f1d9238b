import { Resolver } from "node:dns/promises";
import { request } from "node:https";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { isPublicAddress } from "./public-address.js";

/** Network access of webhooks. Tests have a resolver and a server of their own. */
export interface WebhookOptions {
  /** Returns all addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly isAllowed?: (address: string) => boolean;
  /** A certificate to trust in addition to the usual ones. */
  readonly ca?: string;
  /** Maximum duration of a request. */
  readonly timeLimitMs?: number;
}

/** A receiver that did not answer in time. */
export class WebhookTimeout extends Error {}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends requests to addresses that users enter, and never to an internal address. */
export interface Webhooks {
  /** Returns the reason why the client cannot call a URL now, as `must …`; undefined if it can. */
  findFault(url: string): Promise<string | undefined>;
  /** Posts JSON. Rejects unless the answer is 2xx. The reason reveals nothing about the internal network. */
  post(request: WebhookRequest, signal: AbortSignal): Promise<void>;
}

/**
 * Returns the addresses of a name in DNS. `dns.lookup` would occupy one of the few threads of the process for as long
 * as a name server is silent, and connections to the database wait for those threads as well.
 */
async function resolveName(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/**
 * Creates the client for webhooks. It calls them over https within 10 seconds, at an address that it has resolved and
 * checked for this request. It follows no redirect and reads only the status of the answer.
 */
export function createWebhooks({
  resolve = resolveName,
  isAllowed = isPublicAddress,
  ca,
  timeLimitMs = 10_000,
}: WebhookOptions = {}): Webhooks {
  /** Returns the addresses of a URL. Rejects unless the client may call all of them. */
  const findAddresses = async (url: URL): Promise<readonly string[]> => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const addresses = await resolve(host).catch(() => []);
    if (addresses.length === 0) throw new Error("must have a name that can be resolved");
    if (addresses.every(isAllowed)) return addresses;
    throw new Error("must lead to public addresses alone");
  };
  const limit = () => AbortSignal.timeout(timeLimitMs);
  return {
    async findFault(url) {
      try {
        await orAbort(findAddresses(new URL(url)), limit());
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
    async post({ url, headers, body }, stopped) {
      const timeUp = limit();
      const signal = AbortSignal.any([stopped, timeUp]);
      const target = new URL(url);
      const addresses = await orAbort(findAddresses(target), signal).catch((error: Error) => {
        throw new (timeUp.aborted ? WebhookTimeout : Error)(`the URL ${error.message}`);
      });
      const status = await send(target, { headers, body, signal, addresses, ca }).catch((error: Error) => {
        if (timeUp.aborted) throw new WebhookTimeout("it did not answer in time");
        throw stopped.aborted ? new Error("the gateway stopped") : error;
      });
      if (status >= 300 && status < 400) throw new Error(`it answered ${status}: redirects are not followed`);
      if (status < 200 || status >= 300) throw new Error(`it answered ${status}`);
    },
  };
}

interface Sending extends Omit<WebhookRequest, "url"> {
  readonly signal: AbortSignal;
  readonly addresses: readonly string[];
  readonly ca: string | undefined;
}

/** Posts to one of these addresses, regardless of what the name resolves to by now; resolves to the status. */
function send(target: URL, { headers, body, signal, addresses, ca }: Sending): Promise<number> {
  const pinned = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  const lookupPinned = ((_host, options, callback) => {
    const [first] = pinned;
    if (options.all) callback(null, pinned);
    else callback(null, first?.address ?? "", first?.family);
  }) as LookupFunction;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      target,
      {
        method: "POST",
        agent: false,
        lookup: lookupPinned,
        signal,
        ...(ca && { ca }),
        headers: {
          ...headers,
          "Content-Type": "application/json",
          "Content-Length": Buffer.byteLength(body),
        },
      },
      (response) => {
        resolve(response.statusCode ?? 0);
        outgoing.destroy();
      },
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(`no connection (${error.code})`));
    });
    outgoing.end(body);
  });
}

/** Rejects when the signal aborts, without waiting for the work. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([
    work,
    new Promise<never>((_resolve, reject) => {
      const refuse = () => reject(new Error("must have a name that can be resolved in time"));
      if (signal.aborted) refuse();
      else signal.addEventListener("abort", refuse, { once: true });
    }),
  ]);
}
