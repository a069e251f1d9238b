import { Resolver } from "node:dns/promises";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { createIsAllowed, isLoopback } from "./public-address.js";

/** Network access to addresses that users enter. Tests have a resolver of their own. */
export interface PinnedOptions {
  /** Returns all addresses of a name. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly isAllowed?: (address: string) => boolean;
  /** Internal networks that URLs may lead to, in addition to public addresses, as CIDRs. */
  readonly allowNetworks?: readonly string[];
}

/**
 * Resolves to the addresses of a URL, which a request then connects to, whatever the name resolves to by then. Rejects with
 * a reason, as `must …`, unless all of them may be called. The reason reveals nothing about the internal network.
 */
export type FindAddresses = (url: URL, signal: AbortSignal) => Promise<readonly string[]>;

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
 * Creates the lookup of addresses that the gateway may call: public ones over https, those in allowed networks too, and
 * over http only loopback addresses of allowed networks.
 */
export function createFindAddresses({
  resolve = resolveName,
  allowNetworks = [],
  isAllowed = createIsAllowed(allowNetworks),
}: PinnedOptions): FindAddresses {
  const find = async (url: URL): Promise<readonly string[]> => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const addresses = await resolve(host).catch(() => []);
    if (addresses.length === 0) throw new Error("must have a name that can be resolved");
    if (!addresses.every(isAllowed)) throw new Error("must resolve only to public addresses");
    if (url.protocol === "https:" || addresses.every(isLoopback)) return addresses;
    throw new Error("must begin with https://");
  };
  return (url, signal) => orAbort(find(url), signal);
}

/** Returns a lookup that leads to one of these addresses, regardless of what the name resolves to by now. */
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
