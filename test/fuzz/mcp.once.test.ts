import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { loadSample } from "../../src/actions/bundle/sample.js";
import { SAMPLE_FOLDER } from "../../src/paths.js";
import { callMessage, connectMcp, type ToolResult } from "../support/mcp.js";
import { makeKey, NOW } from "../support/server.js";
import { use } from "../support/use.js";
import { anyText } from "./bytes.js";
import { casesOf, fuzz, TIME_LIMIT } from "./fuzz.js";
import { startFuzzedGateway } from "./gateway.js";
import { type ValueSchema, validOf } from "./json-values.js";

type Json = Readonly<Record<string, unknown>>;
interface Answer {
  readonly result?: ToolResult;
  readonly error?: { readonly code: number };
}

const gateway = use(startFuzzedGateway);
beforeAll(async () => {
  await loadSample(gateway.database, SAMPLE_FOLDER, NOW);
});

const ajv = new Ajv2020({ strict: true });
addFormats.default(ajv);

/** Calls per key, below its hourly limit of 10,000. */
const CALLS_OF_KEY = 9_000;

const texts = fc.oneof(
  fc.constantFrom("e", "natural gas", "steel", "ü"),
  fc.string({ minLength: 1, maxLength: 40 }),
);
const days = fc
  .date({ min: new Date("2020-01-01"), max: NOW, noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));

/** Values of arguments that name something, or that rules outside the schema limit. */
const DICTIONARY: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  from: days,
  to: days,
  due_from: days,
  due_to: days,
  recorded_on: days,
  code: fc.constantFrom("IN-PUNE", "GB-COVENTRY"),
  facility_code: fc.constantFrom("IN-PUNE", "GB-COVENTRY"),
  facility_codes: fc.constantFrom("IN-PUNE", "GB-COVENTRY"),
  search: texts,
  credit_type: fc.constantFrom("EUA", "eua", "VCS", "x"),
  exchange: fc.constantFrom("ICE Endex", "EEX"),
  cn_code: fc.constantFrom("72031000", "76061191"),
  country: fc.constantFrom("IN", "DE", "ZZ"),
  after: days,
  year: fc.constantFrom(2024, 2025, 2026),
  amount: fc.constantFrom(0, 1, 1.5, 1e-6, "1000", "0.000001"),
  mass_t: fc.constantFrom(1, 1.5, "1000", "0.001"),
  gas: fc.constantFrom("CO2", "CH4", "SF6"),
  unit: fc.constantFrom("kWh (gross CV)", "litre", "nothing"),
};

/** Ends of a range in months. */
const MONTHS = { from: days.map((day) => day.slice(0, 7)), to: days.map((day) => day.slice(0, 7)) };

/** Values that hardly any argument accepts. */
const wrong = fc.oneof(
  fc.constantFrom<unknown>([], [[]], {}, { a: 1 }, -1, 0.5, 1e300, 2 ** 53, true, "", "x", null, [null]),
  anyText,
  fc.constant("x".repeat(50_000)),
  fc.constant(Array(999).fill("x")),
);

/** Gives a range both ends or none, in order. */
function inOrder(given: Json): Json {
  const { from, to, due_from, due_to, ...others } = given as Record<string, string | undefined>;
  const range = (start: string, end: string, ends: readonly (string | undefined)[]) => {
    const [first, last] = ends.toSorted();
    return first !== undefined && last !== undefined ? { [start]: first, [end]: last } : {};
  };
  return {
    ...others,
    ...range("from", "to", [from, to]),
    ...range("due_from", "due_to", [due_from, due_to]),
  };
}

/** Replaces the nested value number `at`, counted from the outside. */
function replaceAt(value: unknown, at: number, replacement: unknown): unknown {
  let left = at;
  const replace = (each: unknown): unknown => {
    if (left-- === 0) return replacement;
    if (Array.isArray(each)) return each.map(replace);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, below]) => [name, replace(below)]));
  };
  return Object.fromEntries(Object.entries(value as object).map(([name, below]) => [name, replace(below)]));
}

/** Returns arguments that a schema refuses. A null at the top counts as omitted. */
function invalidOf(valid: fc.Arbitrary<Json>, accepts: ValidateFunction): fc.Arbitrary<Json> {
  const changed = fc
    .tuple(valid, fc.nat({ max: 9 }), wrong)
    .map(([given, at, value]) => replaceAt(given, at, value) as Json);
  const added = fc
    .tuple(valid, fc.oneof(fc.constantFrom("constructor", "organization", ""), anyText), wrong)
    .map(([given, name, value]) => ({ ...given, [name]: value }));
  const sent = (given: Json) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return fc.oneof({ weight: 3, arbitrary: changed }, added).filter((given) => !accepts(sent(given)));
}

describe("any tool call", () => {
  it(
    "matches its outputSchema if the arguments fit, and names the argument if they do not",
    async (context) => {
      const { key } = await makeKey(gateway.database, "demo");
      const { client } = await connectMcp(gateway, { "X-API-Key": key });
      const { tools } = await client.listTools();
      const records = await call(key, "search_emission_records", { limit: 50 });
      const ids = (records.result?.structuredContent?.items ?? []).map(({ id }: { id: string }) => id);
      const dictionary = { ...DICTIONARY, id: fc.constantFrom(...ids) };
      const answers = new Map(
        tools.map(({ name, outputSchema }) => [name, ajv.compile(outputSchema as object)]),
      );
      const cases = fc.oneof(
        ...tools.map(({ name, inputSchema }) => {
          const accepts = ajv.compile(inputSchema);
          const { cursor: _, ...properties } = (inputSchema as ValueSchema).properties ?? {};
          const valid = validOf(
            { ...(inputSchema as ValueSchema), properties },
            { ...dictionary, ...(name === "find_anomalies" && MONTHS) },
          ).map(inOrder);
          return fc.record({
            name: fc.constant(name),
            valid: valid.filter((given) => accepts(given)),
            invalid: invalidOf(valid, accepts),
          });
        }),
      );
      let calls = 0;
      let current = { key };
      const send = async (name: string, given: Json) => {
        calls += 1;
        if (calls % CALLS_OF_KEY === 0) current = await makeKey(gateway.database, "demo");
        return call(current.key, name, given);
      };
      const outcomes = await fuzz("mcp", context, cases, async ({ name, valid, invalid }) => {
        const fitting = await send(name, valid);
        const failed = codeOf(fitting);
        if (failed === undefined && !answers.get(name)?.(fitting.result?.structuredContent))
          throw new Error(`${name} answers in another form: ${ajv.errorsText(answers.get(name)?.errors)}`);
        if (failed === "INTERNAL_ERROR" || failed === -32602)
          throw new Error(`${name}: ${JSON.stringify(fitting)}`);
        const refused = await send(name, invalid);
        const { argument } = (refused.result?._meta["carbon-gateway/error"] ?? {}) as { argument?: unknown };
        if (refused.error?.code !== -32602 && typeof argument !== "string")
          throw new Error(`${name} names no argument: ${JSON.stringify(refused).slice(0, 1_000)}`);
        return [`valid: ${failed ?? "answered"}`, `invalid: ${codeOf(refused)}`];
      });
      expect(outcomes["valid: answered"]).toBeGreaterThan(casesOf("mcp") / 2);
      await client.close();
      await gateway.requireHealth();
    },
    TIME_LIMIT,
  );
});

const codeOf = ({ result, error }: Answer) =>
  error?.code ?? (result?._meta["carbon-gateway/error"] as { code: string } | undefined)?.code;

async function call(key: string, name: string, given: Json): Promise<Answer> {
  const { headers, body } = callMessage(name, given);
  const answer = await gateway.call<Answer>("/mcp", {
    method: "POST",
    headers: { ...headers, "X-API-Key": key },
    body,
  });
  if (answer.status !== 200 && answer.status !== 400)
    throw new Error(`${name} got ${answer.status}: ${JSON.stringify(given).slice(0, 1_000)}`);
  return answer.body;
}
