import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SCOPES } from "../../src/domain/scopes.js";
import { V1_PREFIXES } from "../../src/http/surface.js";
import { type Endpoint, isUpload } from "../../src/rest/endpoint.js";
import { use } from "../support/use.js";
import { listV1 } from "../support/v1.js";
import { anyBytes, anyText, mutate, mutations, utf8 } from "./bytes.js";
import { addCallers, CALLERS } from "./callers.js";
import { excess, HEADER_ROW, ragged, rows, style, writeCsv } from "./csv-files.js";
import { casesOf, fuzz, TIME_LIMIT } from "./fuzz.js";
import { startFuzzedGateway } from "./gateway.js";
import { amounts } from "./graphql-values.js";
import { type Dictionary, jsonOf, type ValueSchema } from "./json-values.js";

const gateway = use(() =>
  startFuzzedGateway({ PUBLIC_URL: "https://gateway.example", REGISTRATION: "open" }),
);
const callers = use(() => addCallers(gateway));

const encoded = (text: string) =>
  utf8(text).replaceAll(/[^\w.~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
const schemaOf = (shape: z.ZodType) => z.toJSONSchema(shape, { io: "input" }) as ValueSchema;

/** CSV files with commas, some with a header or row that is too large. */
const written = fc
  .record({ rows, style, excess: fc.option(excess), row: fc.constantFrom(HEADER_ROW, 0) })
  .map((file) => {
    const how = { ...file.style, delimiter: ",", decimalComma: false, linesBefore: 0 };
    return writeCsv(file.rows, how, new Map(file.excess ? [[file.row, file.excess]] : [])).bytes;
  });

const files = fc.oneof({ weight: 4, arbitrary: written }, { weight: 1, arbitrary: ragged });
/** Number of pieces of a slowly arriving file, with a pause of 1 ms after each. */
const TRICKLES = 200;

/** Returns requests to an endpoint, most of them valid. */
function requestsTo(endpoint: Endpoint, ids: fc.Arbitrary<string>, dictionary: Dictionary) {
  const { method, input } = endpoint;
  const path = endpoint.path.replace("{module}", "emissions");
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
  const body = isUpload(endpoint) ? files : json;
  return fc.record({
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constant<string>(method) },
      { weight: 1, arbitrary: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") },
    ),
    path: fc
      .array(segment, { minLength: 2, maxLength: 2 })
      .map((values) => path.replace("{year}", "2025").replaceAll(/\{\w+\}/g, () => values[0] || "%00")),
    query: fc.oneof(
      { weight: 3, arbitrary: fc.constant("") },
      {
        weight: names.length > 0 ? 6 : 1,
        arbitrary: fc.array(parameter, { maxLength: 4 }).map((all) => `?${all.join("&")}`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(parameter, fc.integer({ min: 2, max: 200 }))
          .map(([one, times]) => `?${Array<string>(times).fill(one).join("&")}`),
      },
    ),
    body: fc.oneof(
      { weight: 12, arbitrary: body },
      { weight: 1, arbitrary: fc.tuple(body, mutations).map(([text, changes]) => mutate(text, changes)) },
      { weight: 1, arbitrary: anyBytes },
    ),
    type: fc.oneof(
      { weight: 30, arbitrary: fc.constant(isUpload(endpoint) ? endpoint.fileType : "application/json") },
      fc.constantFrom("text/plain", "", "a/b"),
    ),
    ifMatch: fc.constantFrom("", "", "", '"1"', '"2"', "*", "1", 'W/"1"', '"99999999999"'),
    // A body that stops in the middle, as from a client that is slow or disconnects.
    arrives: fc.oneof(
      { weight: isUpload(endpoint) ? 3 : 30, arbitrary: fc.constant(1) },
      { weight: 1, arbitrary: fc.double({ min: 0, max: 0.99, noNaN: true }) },
    ),
    trickles: isUpload(endpoint) ? fc.integer({ min: 0, max: 9 }).map((n) => n === 9) : fc.constant(false),
    prefix: fc.constantFrom(...V1_PREFIXES),
    caller: fc.oneof({ weight: 8, arbitrary: fc.constant("owner" as const) }, fc.constantFrom(...CALLERS)),
  });
}

describe("any request to the wider API", () => {
  it(
    "is answered in the envelope, below 500, and neither changes nor shows anyone else's data",
    async (context) => {
      const ids = fc.oneof(fc.constantFrom(...callers.ids, ...gateway.stolen), fc.uuid());
      const dictionary: Dictionary = {
        email: fc.oneof(fc.constantFrom(...callers.emails), fc.emailAddress()),
        name: fc.oneof(fc.stringMatching(/^[a-z]{1,12}$/), anyText),
        scopes: fc.constantFrom(...SCOPES),
        code: fc.constantFrom("Own code", "A", "B"),
        facility: fc.constantFrom("Own code", "A", "B", "nowhere"),
        recorded_on: fc.constantFrom("2026-11-20", "2024-02-29", "2026-02-29", "1989-12-31", "2027-11-20"),
        co2e_tonnes: amounts,
        market_based_tonnes: amounts,
        amount: amounts,
        factor: amounts,
        unit: fc.constantFrom("kg", "kWh (gross CV)", "wagons", "MT"),
        activity: fc.constantFrom("Own activity", "Own other name"),
        region: fc.constantFrom("Own region", "UK"),
        gas: fc.constantFrom("CO2", "N₂O", "CO2e", "R-410A", "air"),
        cn_code: fc.constantFrom("7208 10 00", "72081000", "7208100000", "9999 99 99"),
        reference: fc.constantFrom("r-1", "r-2", "Own record"),
        country: fc.constantFrom("DE", "IN", "UK", "XX"),
        source_url: fc.constantFrom("https://example.org/a", "javascript:alert(1)"),
        password: fc.oneof(fc.stringMatching(/^[a-z]{14}$/), anyText),
      };
      // A stream never ends.
      const endpoints = (await listV1()).filter(({ path }) => path !== "/events/stream");
      const cases = fc.oneof(...endpoints.map((endpoint) => requestsTo(endpoint, ids, dictionary)));
      const outcomes = await fuzz("v1", context, cases, async (input) => {
        const credential = await callers.credentialOf(input.caller);
        const lines = [
          `${input.method} ${input.prefix}${input.path}${input.query} HTTP/1.1`,
          "Host: gateway",
          "Connection: close",
          credential,
          `Content-Type: ${input.type}`,
          input.ifMatch && `If-Match: ${input.ifMatch}`,
          input.body && `Content-Length: ${input.body.length}`,
        ].filter((line) => line !== "");
        const body = input.body.slice(0, Math.ceil(input.body.length * input.arrives));
        const isWhole = body.length === input.body.length;
        const bytes = Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1");
        const size = input.trickles ? Math.ceil(bytes.length / TRICKLES) : bytes.length;
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        );
        const [answer] = await gateway.send({ pieces, pauseMs: 1, isWhole });
        if (!answer && isWhole) throw new Error("no answer");
        return [answer?.status ?? "cut off"];
      });
      // Requests that never reach an action would prove little.
      expect((outcomes["200"] ?? 0) + (outcomes["201"] ?? 0)).toBeGreaterThan(casesOf("v1") / 10);
      await gateway.requireHealth();
      await callers.requireOwnTrail();
    },
    TIME_LIMIT,
  );
});
