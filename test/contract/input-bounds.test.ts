import { readFile } from "node:fs/promises";
import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limitsOf } from "../../src/catalogue/directives.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import type { ValueSchema } from "../fuzz/json-values.js";
import { connectMcp, type McpClient } from "../support/mcp.js";
import { SAMPLE_ID } from "../support/mutations.js";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { type Gateway, makeKey, NOW, startGateway } from "../support/server.js";

// Every limited value of an input, found in the schema and in the tools, just inside and just outside its limits. For REST, see
// test/rest/errors.test.ts.

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** For each scalar, a value that refers to no object. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  UUID: SAMPLE_ID,
  Boolean: false,
  Int: 1,
  Float: 1,
  SafeInt: 1,
  Decimal: "1",
  Date: "2026-11-01",
  DateTime: "2026-12-01T00:00:00Z",
  Scope: "read:emissions",
  URL: "https://example.org",
  JSONObject: {},
  CountryCode: "DE",
  Month: "2026-10",
};

/** A limited text of an input, by its path. */
interface Limited {
  readonly path: readonly string[];
  readonly most: number;
}

/** Returns a value of an input whose limited texts have `lengthOf` characters, and lists these texts. */
function fill(
  type: GraphQLInputType,
  path: readonly string[],
  lengthOf: (text: Limited) => number,
  limited: Limited[],
): unknown {
  const input = getNullableType(type);
  if (isListType(input)) return [fill(input.ofType, path, lengthOf, [])];
  if (isEnumType(input)) return input.getValues()[0]?.name;
  if (!isInputObjectType(input)) return SAMPLES[input.name] ?? "x";
  return Object.fromEntries(
    Object.values(input.getFields()).flatMap((field) => {
      const at = [...path, field.name];
      const { most } = limitsOf(field.astNode ?? {});
      if (String(getNullableType(field.type)) === "String" && most !== undefined) {
        const text = { path: at, most };
        limited.push(text);
        return [[field.name, "e".repeat(lengthOf(text))]];
      }
      return isRequiredInputField(field) ? [[field.name, fill(field.type, at, lengthOf, limited)]] : [];
    }),
  );
}

let gateway: Gateway;
let owner: TestPerson;
let root: TestPerson;
let mcp: McpClient;
beforeAll(async () => {
  gateway = await startGateway({ env: { SESSION_REQUESTS_PER_HOUR: "999999999" } });
  owner = await signUp(gateway, { factorAt: NOW });
  root = await signUpSuperAdmin(gateway);
  const { key } = await makeKey(gateway.database, owner.organization.slug);
  mcp = await connectMcp(gateway, { "X-API-Key": key });
});
afterAll(async () => {
  await mcp.client.close();
  await gateway.stop();
});

/** Runs a mutation; returns the paths that its refusal names. */
async function namedBy({ name, args }: GraphQLField<unknown, unknown>, input: unknown): Promise<string[]> {
  const [argument] = args;
  const text = `mutation ($input: ${argument?.type}) { ${name}(${argument?.name}: $input) { __typename } }`;
  const { body } = await (name.endsWith("Announcement") ? root : owner).graphql(text, { input } as object);
  return (
    body.errors?.flatMap(
      ({ extensions, message }) => extensions.details?.map(({ path }: { path: string }) => path) ?? [message],
    ) ?? []
  );
}

/** Mutations that look for an object, or check its state, before the texts: REST checks their texts first. */
const LATER = [
  "updateApiKey",
  "updateServiceAccount",
  "createWebhookEndpoint",
  "updateWebhookEndpoint",
  "updateDeadline",
  "updateEmissionRecord",
  "addVerificationFinding",
  "updateAnnouncement",
  "updateReductionTarget",
];

describe("the texts of a mutation's input", () => {
  const cases = mutations.flatMap((mutation) => {
    const [argument] = mutation.args;
    const limited: Limited[] = [];
    if (argument) fill(argument.type, [argument.name], () => 1, limited);
    return limited.length > 0 && argument && !LATER.includes(mutation.name)
      ? [{ name: mutation.name, mutation, argument, limited }]
      : [];
  });

  it.each(cases)(
    "are all named if they are one character too long, and not if they are as long as allowed: $name",
    async ({ mutation, argument, limited }) => {
      const paths = limited.map(({ path }) => path.join("."));
      const filled = (more: number) => fill(argument.type, [argument.name], ({ most }) => most + more, []);
      expect(await namedBy(mutation, filled(1))).toEqual(expect.arrayContaining(paths));
      expect(await namedBy(mutation, filled(0))).toEqual(expect.not.arrayContaining(paths));
    },
  );
});

describe("the parameters of a tool", () => {
  it("are refused by name just outside their limits", async () => {
    const { tools } = await mcp.client.listTools();
    const wrong: string[] = [];
    let count = 0;
    for (const { name, inputSchema } of tools) {
      for (const [parameter, at] of Object.entries((inputSchema as ValueSchema).properties ?? {})) {
        const isText = at.type === "string" && at.maxLength !== undefined;
        const outside = [
          ...(isText ? ["e".repeat((at.maxLength ?? 0) + 1)] : []),
          ...(at.maximum !== undefined && at.maximum < 1e6 ? [at.maximum + 1] : []),
          ...(at.maxItems !== undefined ? [Array(at.maxItems + 1).fill("e")] : []),
        ];
        for (const value of outside) {
          count += 1;
          const { isError, content } = await mcp.call(name, { [parameter]: value });
          if (!isError || !content[0]?.text.includes(parameter))
            wrong.push(`${name}.${parameter}: ${content[0]?.text}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(20);
  });
});
