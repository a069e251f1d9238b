import { graphqlCall, restCall, SMALL_QUERY } from "../calls.js";
import { encodeCall } from "../connection.js";
import type { Call } from "../load.js";
import type { PacedCall } from "../paced.js";
import type { Organization } from "./fill.js";

export interface Planned extends PacedCall {
  readonly kind: "reads" | "writes";
  readonly size: Organization["size"];
}

export interface Rates {
  readonly reads: number;
  readonly writes: number;
}

const LIST_QUERY = `{ emissions { records(first: 20) { nodes { id recordedOn scope co2eTonnes category facility { code } } }
  trend { from co2eTonnes byScope { co2eTonnes } } } }`;

/** Reads of an organization, equally frequent. */
const READS: readonly ((organization: Organization, token: string) => Call)[] = [
  ({ key }) => restCall("emissions", key),
  ({ key }) => restCall("emissions", key),
  ({ key }) => restCall("compliance", key),
  (_, token) => withToken(graphqlCall(SMALL_QUERY, ""), token),
  (_, token) => withToken(graphqlCall(LIST_QUERY, ""), token),
  (_, token) => get("/v1/emissions/records?limit=20", token),
  (_, token) => get("/v1/emissions/records?limit=20&facility=F1&scope=scope_2", token),
  (_, token) => get("/v1/emissions/records?limit=20&q=meter%207", token),
  (_, token) => get("/v1/emissions/kpis", token),
  (_, token) => get("/v1/emissions/trend?by=facility", token),
];

const get = (path: string, token: string): Call => withToken({ method: "GET", path, headers: {} }, token);

function withToken(call: Call, token: string): Call {
  const { "X-API-Key": _, ...headers } = call.headers;
  return { ...call, headers: { ...headers, Authorization: `Bearer ${token}` } };
}

const DAY_MS = 86_400_000;

/** Returns a call that adds a record of the last 12 months with a new reference. */
const write = (token: string, reference: string, random: () => number): Call => ({
  method: "POST",
  path: "/v1/emissions/records",
  headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
  body: JSON.stringify({
    recorded_on: new Date(Date.now() - Math.floor(random() * 365) * DAY_MS).toISOString().slice(0, 10),
    scope: "scope_1",
    co2e_tonnes: 50 + Math.floor(random() * 400) / 8,
    facility: "F1",
    category: "category 1",
    reference,
  }),
});

/**
 * Plans the calls of a round, in order of time: evenly mixed reads and writes, each for an organization chosen by a Zipf
 * distribution, to one gateway or the other. The same name gives the same choices.
 */
export function planRound(
  organizations: readonly Organization[],
  { reads, writes }: Rates,
  { seconds, gateways, seed }: { seconds: number; gateways: number; seed: number },
): Planned[] {
  const random = createRandom(seed);
  const ranked = rank(organizations);
  const choose = createZipf(ranked.length, random);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const perSecond = reads + writes;
  return Array.from({ length: perSecond * seconds }, (_, index) => {
    const isWrite = Math.floor(((index + 1) * writes) / perSecond) > Math.floor((index * writes) / perSecond);
    const organization = ranked[choose()] as Organization;
    const token = pick(organization.tokens);
    const call = isWrite ? write(token, `bench ${seed} ${index}`, random) : pick(READS)(organization, token);
    return {
      kind: isWrite ? "writes" : "reads",
      size: organization.size,
      to: Math.floor(random() * gateways),
      call: encodeCall(call),
    };
  });
}

/** Orders organizations by popularity: the large ones have ranks 1, 2, 4, 8 and so on. */
function rank(organizations: readonly Organization[]): Organization[] {
  const large = organizations.filter(({ size }) => size === "large");
  const small = organizations.filter(({ size }) => size === "small");
  return organizations.map((_, index) => {
    const isPower = Number.isInteger(Math.log2(index + 1));
    return ((isPower ? large.shift() : undefined) ?? small.shift() ?? large.shift()) as Organization;
  });
}

/** Returns a function that chooses indexes below `count`, the n-th 1/n times as often as the first. */
function createZipf(count: number, random: () => number): () => number {
  let sum = 0;
  const sums = Array.from({ length: count }, (_, index) => {
    sum += 1 / (index + 1);
    return sum;
  });
  return () => {
    const place = random() * sum;
    return sums.findIndex((upTo) => upTo > place);
  };
}

/** The generator mulberry32: the same numbers between 0 and 1 for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
