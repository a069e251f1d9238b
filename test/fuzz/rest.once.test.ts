import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { REST_PREFIXES } from "../../src/http/surface.js";
import { endpoints } from "../../src/rest/ext/index.js";
import { list } from "../support/list.js";
import { use } from "../support/use.js";
import { anyBytes, anyText, type Bytes, utf8 } from "./bytes.js";
import { fuzz, TIME_LIMIT } from "./fuzz.js";
import { startFuzzedGateway } from "./gateway.js";

const plain = new Map<string, unknown>();
const gateway = use(startFuzzedGateway);
beforeAll(async () => {
  const key = await gateway.key();
  for (const { path } of endpoints) plain.set(path, (await gateway.rest(path, key)).body.data);
});

const NAMES = list("from to scope organization tenant key api_key page limit format callback");
const part = fc.oneof(
  anyBytes,
  anyText.map((text) => encodeURIComponent(utf8(text))),
  fc.constantFrom(...NAMES),
);
const query: fc.Arbitrary<Bytes> = fc.oneof(
  fc
    .array(
      fc.tuple(part, fc.constantFrom("=", "", "[]=", "[a][b]=", "=="), part).map((pair) => pair.join("")),
      { maxLength: 6 },
    )
    .chain((pairs) => fc.constantFrom("&", ";", "&&").map((separator) => pairs.join(separator))),
  anyBytes,
  fc.integer({ min: 1, max: 1_200 }).map((count) => "a[]=1&".repeat(count)),
  fc.integer({ min: 1, max: 600 }).map((depth) => `a${"[b]".repeat(depth)}=1`),
);

/** Returns a string with only the bytes of a URL; the tests of HTTP send others too. */
const asPartOfLine = (text: Bytes) =>
  text.replaceAll(/[^!-~]|#/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);

describe("any query string of a REST endpoint", () => {
  it(
    "does not change its answer",
    async (context) => {
      const cases = fc.record({
        prefix: fc.constantFrom(...REST_PREFIXES),
        path: fc.constantFrom(...endpoints.map(({ path }) => path)),
        query,
      });
      const outcomes = await fuzz("rest", context, cases, async ({ prefix, path, query: given }) => {
        const address = `${prefix}${path}?${asPartOfLine(given)}`;
        const head = `GET ${address} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\nX-API-Key: ${await gateway.key()}\r\n\r\n`;
        const [answer] = await gateway.send({ pieces: [Buffer.from(head, "latin1")], isWhole: true });
        expect(JSON.parse(answer?.body ?? "")).toMatchObject({ error: null, data: plain.get(path) });
        return [answer?.status ?? 0];
      });
      expect(Object.keys(outcomes)).toEqual(["200"]);
      await gateway.requireHealth();
    },
    TIME_LIMIT,
  );
});
