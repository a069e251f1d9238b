import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Accounts } from "../../src/access/accounts/accounts.js";
import { SCOPES } from "../../src/domain/scopes.js";
import { V1_PREFIXES } from "../../src/http/surface.js";
import type { Endpoint } from "../../src/rest/endpoint.js";
import type { Importing } from "../../src/rest/v1/emissions/import.js";
import { createV1 } from "../../src/rest/v1/index.js";
import type { Certified } from "../../src/rest/v1/verification/verify.js";
import { anyBytes, anyText, mutate, mutations, utf8 } from "./bytes.js";
import { addCallers, CALLERS, type Callers } from "./callers.js";
import { casesOf, fuzz, TIME_LIMIT } from "./fuzz.js";
import { type FuzzedGateway, startFuzzedGateway } from "./gateway.js";
import { amounts } from "./graphql-values.js";
import { type Dictionary, jsonOf, type ValueSchema } from "./json-values.js";

let gateway: FuzzedGateway;
let callers: Callers;
beforeAll(async () => {
  gateway = await startFuzzedGateway({ PUBLIC_URL: "https://gateway.example", REGISTRATION: "open" });
  callers = await addCallers(gateway);
});
afterAll(() => gateway.stop());

const encoded = (text: string) =>
  utf8(text).replaceAll(/[^\w.~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
const schemaOf = (shape: z.ZodType) => z.toJSONSchema(shape, { io: "input" }) as ValueSchema;

/** Requests to one endpoint, most of them right. */
function requestsTo({ method, path, input }: Endpoint, ids: fc.Arbitrary<string>, dictionary: Dictionary) {
  const segment = fc.oneof({ weight: 9, arbitrary: ids }, { weight: 1, arbitrary: anyText }).map(encoded);
  const names = Object.keys((input.query && schemaOf(input.query).properties) ?? {});
  const parameter = fc
    .tuple(
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...names, "limit") },
        { weight: 1, arbitrary: anyText },
      ),
      fc.oneof(anyText, ids, fc.constantFrom("1", "2026-11-20", "active", "user", "api_key.created")),
    )
    .map((pair) => pair.map(encoded).join("="));
  const json = input.body ? jsonOf(schemaOf(input.body), dictionary).map(utf8) : fc.constant("");
  return fc.record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant<string>(method) },
      { weight: 1, arbitrary: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") },
    ),
    path: fc
      .array(segment, { minLength: 2, maxLength: 2 })
      .map((values) => path.replaceAll(/\{\w+\}/g, () => values[0] || "%00")),
    query: fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      {
        weight: names.length > 0 ? 6 : 1,
        arbitrary: fc.array(parameter, { maxLength: 4 }).map((all) => `?${all.join("&")}`),
      },
    ),
    body: fc.oneof(
      { weight: 12, arbitrary: json },
      { weight: 1, arbitrary: fc.tuple(json, mutations).map(([text, changes]) => mutate(text, changes)) },
      { weight: 1, arbitrary: anyBytes },
    ),
    type: fc.oneof(
      { weight: 30, arbitrary: fc.constant("application/json") },
      fc.constantFrom("text/plain", "", "a/b"),
    ),
    ifMatch: fc.constantFrom("", "", "", '"1"', '"2"', "*", "1", 'W/"1"', '"99999999999"'),
    prefix: fc.constantFrom(...V1_PREFIXES),
    caller: fc.oneof({ weight: 8, arbitrary: fc.constant("owner" as const) }, fc.constantFrom(...CALLERS)),
  });
}

describe("whatever is sent to the wider API", () => {
  it(
    "is answered in the envelope, well below 500, and changes and shows nothing of anybody else's",
    async (context) => {
      const ids = fc.oneof(fc.constantFrom(...callers.ids, ...gateway.stolen), fc.uuid());
      const dictionary: Dictionary = {
        email: fc.oneof(fc.constantFrom(...callers.emails), fc.emailAddress()),
        name: fc.oneof(fc.stringMatching(/^[a-z]{1,12}$/), anyText),
        scopes: fc.constantFrom(...SCOPES),
        code: fc.constantFrom("Own code", "A", "B"),
        facility: fc.constantFrom("Own code", "A", "B", "nowhere"),
        recorded_on: fc.constantFrom("2026-11-20", "2024-02-29", "2026-02-29", "1989-12-31", "2027-11-20"),
        ...{ co2e_tonnes: amounts, market_based_tonnes: amounts, amount: amounts, factor: amounts },
        unit: fc.constantFrom("kg", "kWh (gross CV)", "wagons"),
        activity: fc.constantFrom("Own activity", "Own other name"),
        region: fc.constantFrom("Own region", "UK"),
        gas: fc.constantFrom("CO2", "CO2e", "R-410A", "air"),
        reference: fc.constantFrom("r-1", "r-2", "Own record"),
        country: fc.constantFrom("DE", "IN", "XX"),
        source_url: fc.constantFrom("https://example.org/a", "javascript:alert(1)"),
        password: fc.oneof(fc.stringMatching(/^[a-z]{14}$/), anyText),
      };
      const cases = fc.oneof(
        ...createV1({} as Accounts, {} as Importing, {} as Certified).endpoints.map((endpoint) =>
          requestsTo(endpoint, ids, dictionary),
        ),
      );
      const outcomes = await fuzz("v1", context, cases, async (input) => {
        const credential = await callers.credentialOf(input.caller);
        const lines = [
          `${input.method} ${input.prefix}${input.path}${input.query} HTTP/1.1`,
          ...["Host: gateway", "Connection: close", credential, `Content-Type: ${input.type}`],
          input.ifMatch && `If-Match: ${input.ifMatch}`,
          input.body && `Content-Length: ${input.body.length}`,
        ].filter((line) => line !== "");
        const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${input.body}`, "latin1");
        const [answer] = await gateway.send({ pieces: [bytes], isWhole: true });
        if (!answer) throw new Error("no answer");
        return [answer.status];
      });
      // Rubbish that never gets as far as an action would prove little.
      expect((outcomes["200"] ?? 0) + (outcomes["201"] ?? 0)).toBeGreaterThan(casesOf("v1") / 10);
      await gateway.requireHealth();
      await callers.requireOwnTrail();
    },
    TIME_LIMIT,
  );
});
