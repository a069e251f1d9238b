import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../src/access/secrets/api-key.js";
import { makeKey, NOW } from "../support/server.js";
import { use } from "../support/use.js";
import { anyBytes, type Bytes, mutate, mutations } from "./bytes.js";
import { fuzz, TIME_LIMIT } from "./fuzz.js";
import { startFuzzedGateway } from "./gateway.js";

const KINDS = ["good", "without the scope", "unknown", "revoked", "expired"] as const;
type Kind = (typeof KINDS)[number];

let keys: Readonly<Record<Kind, string>>;
const gateway = use(startFuzzedGateway);
beforeAll(async () => {
  const { database, ownSlug } = gateway;
  const make = async (overrides = {}) => (await makeKey(database, ownSlug, overrides)).key;
  const revoked = await makeKey(database, ownSlug);
  await database.prisma.apiKey.update({ where: { id: revoked.id }, data: { revokedAt: NOW } });
  keys = {
    good: await make(),
    "without the scope": await make({ scopes: ["read:benchmarks"] }),
    unknown: generateKey(),
    revoked: revoked.key,
    expired: await make({ expiresAt: NOW }),
  };
});

interface Keyed {
  readonly kind: Kind;
  readonly changes: Parameters<typeof mutate>[1];
  readonly around: readonly string[];
}

const keyed = fc.record<Keyed>({
  kind: fc.constantFrom(...KINDS, "good", "good"),
  changes: fc.oneof({ weight: 1, arbitrary: fc.constant([]) }, { weight: 2, arbitrary: mutations }),
  around: fc.constantFrom(
    ["", ""],
    ["", ""],
    [" ", "\t"],
    ["Bearer ", ""],
    ['"', '"'],
    ["", ","],
    ["", "\u00a0"],
  ),
});
const input = fc.record({
  path: fc.constantFrom(
    "/ext/v1/market",
    "/api/v1/ext/v1/emissions",
    "/graphql?query=%7Bemissions%7BrecordCount%7D%7D",
  ),
  name: fc.constantFrom("X-API-Key", "x-api-key", "X-API-KEY"),
  values: fc.oneof(
    { weight: 8, arbitrary: fc.array(keyed, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(keyed, { maxLength: 3 }) },
    { weight: 1, arbitrary: anyBytes },
  ),
});

const valuesOf = (values: readonly Keyed[] | Bytes) =>
  typeof values === "string"
    ? [values]
    : values.map(({ kind, changes, around }) => around.join(mutate(keys[kind], changes)));

describe("any value of X-API-Key", () => {
  it(
    "opens nothing except the one valid key",
    async (context) => {
      const outcomes = await fuzz("keys", context, input, async ({ path, name, values }) => {
        // The tests of HTTP cover bytes that end a header.
        const texts = valuesOf(values).map((text) => text.replaceAll(/[\r\n]/g, "?"));
        const headers = texts.map((text) => `${name}: ${text}\r\n`).join("");
        const bytes = `GET ${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n${headers}\r\n`;
        const [answer] = await gateway.send({ pieces: [Buffer.from(bytes, "latin1")], isWhole: true });
        const status = answer?.status ?? 0;
        const given = texts.map((text) => text.replaceAll(/^[ \t]+|[ \t]+$/g, ""));
        const isRight = given.length === 1 && given[0] === keys.good;
        // In GraphQL, a missing scope only nulls its field.
        const isScopeless =
          given.length === 1 && given[0] === keys["without the scope"] && path.startsWith("/graphql");
        const expected = isRight || isScopeless ? [200] : [400, 401];
        if (!expected.includes(status)) throw new Error(`expected ${expected.join(" or ")}, got ${status}`);
        return [status];
      });
      expect(Object.keys(outcomes).toSorted()).toEqual(["200", "400", "401"]);
      await gateway.requireHealth();
    },
    TIME_LIMIT,
  );
});
