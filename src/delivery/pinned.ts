import { Resolver } from "node:dns/promises";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { createIsAllowed, isLoopback } from "./public-address.js";

/** Network access to URLs that users enter. Tests pass their own resolver. */
export interface PinnedOptions {
  /** Returns all IP addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly isAllowed?: (address: string) => boolean;
  /** Internal networks that URLs may lead to, in addition to public addresses, as CIDRs. */
  readonly allowNetworks?: readonly string[];
}

/**
 * Resolves a URL to the IP addresses that its request must connect to, even if the name has changed by then. Rejects
 * with a reason (`must …`) unless all of them are allowed. The reason reveals nothing about the internal network.
 */
export type FindAddresses = (url: URL, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Returns the addresses of a name in DNS. `dns.lookup` would block one of the process's few threads while a name server
 * is silent, and database connections wait for those threads, too.
 */
async function resolveName(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/**
 * Creates the lookup of addresses that the gateway may call. Over https these are public addresses and the allowed
 * networks; over http, only loopback addresses in allowed networks. `setting` lists those networks.
 */
export function createFindAddresses(
  { resolve = resolveName, allowNetworks = [], isAllowed = createIsAllowed(allowNetworks) }: PinnedOptions,
  setting: "WEBHOOK_ALLOW_NETWORKS" | "OIDC_ALLOW_NETWORKS",
): FindAddresses {
  const find = async (url: URL): Promise<readonly string[]> => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const addresses = await resolve(host).catch(() => []);
    if (addresses.length === 0) throw new Error("must have a name that can be resolved");
    if (url.protocol !== "https:" && !addresses.every(isLoopback))
      throw new Error("must begin with https://");
    if (addresses.every(isAllowed)) return addresses;
    throw new Error(
      `must resolve only to public addresses, or to those that the operator allows with ${setting}`,
    );
  };
  return (url, signal) => orAbort(find(url), signal);
}

/** Creates a function that checks a URL. It resolves to the reason not to call it; undefined for an allowed URL. */
export const createFindFault =
  (findAddresses: FindAddresses, limitMs: number) =>
  async (url: string): Promise<string | undefined> => {
    try {
      await findAddresses(new URL(url), AbortSignal.timeout(limitMs));
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

/** Returns a lookup that always answers with these addresses, even if the name has changed since they were checked. */
export function lookUpPinned(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return ((_host, options, callback) => {
    const [first] = pinned;
    if (options.all) callback(null, pinned);
    else callback(null, first?.address ?? "", first?.family);
  }) as LookupFunction;
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
