import { readFile } from "node:fs/promises";
import { buildSchema, getNamedType, isInputObjectType, isNonNullType, isObjectType } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restNameOf } from "../../src/catalogue/spelling.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { SAMPLE_ID } from "../support/mutations.js";
import { signUp, signUpSuperAdmin, type TestPerson } from "../support/people.js";
import { type Gateway, startGateway } from "../support/server.js";
import { listV1 } from "../support/v1.js";

const schema = buildSchema(await readFile(SCHEMA_FILE, "utf8"));
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

/** A field of a mutation's input; `isPresent` if it has @present, and so must not be null. */
interface Part {
  readonly name: string;
  readonly isPresent: boolean;
}

/** Mutations that change only the fields that are sent, with these fields. */
const CHANGES = mutations
  .filter(({ name }) => name.startsWith("update"))
  .map(({ name, args: [argument], type }) => {
    const input = getNamedType(argument?.type);
    const members = isInputObjectType(input) ? Object.values(input.getFields()) : [];
    const parts = members
      .filter((member) => !isNonNullType(member.type) && member.name !== "expectedVersion")
      .map((member): Part => {
        const isPresent = member.astNode?.directives?.some((each) => each.name.value === "present");
        return { name: member.name, isPresent: isPresent ?? false };
      });
    const payload = getNamedType(type);
    const [thing] = isObjectType(payload) ? Object.values(payload.getFields()) : [];
    return { name, result: getNamedType(thing?.type), parts };
  })
  // Patches that are JSON objects have other rules.
  .filter(({ parts }) => parts.length > 0);

/** Paths of the endpoints that run these mutations, by mutation. */
const PATHS = new Map(
  (await listV1()).flatMap((endpoint) =>
    endpoint.method === "PATCH" && "name" in endpoint ? [[endpoint.name, endpoint.path] as const] : [],
  ),
);

let gateway: Gateway;
let owner: TestPerson;
let superAdmin: TestPerson;

beforeAll(async () => {
  gateway = await startGateway();
  [owner, superAdmin] = [await signUp(gateway), await signUpSuperAdmin(gateway)];
});
afterAll(() => gateway.stop());

const personFor = (name: string) => (name === "updateAnnouncement" ? superAdmin : owner);

/** Names in REST that do not follow from those of the graph. */
const RENAMED: Readonly<Record<string, string>> = { audienceValues: "audience", isEnabled: "enabled" };

describe("the fields of a change", () => {
  it("are tested for every mutation that changes only what is sent, each with an endpoint", () => {
    expect(CHANGES.length).toBeGreaterThan(5);
    expect(CHANGES.filter(({ name }) => !PATHS.has(name))).toEqual([]);
  });

  it.each(CHANGES)("of $name are @present if those of its result are never null", ({ result, parts }) => {
    const shown = isObjectType(result) ? result.getFields() : {};
    const neverNull = parts.filter(({ name }) => isNonNullType(shown[name]?.type));
    expect(neverNull.length).toBeGreaterThan(0);
    expect(neverNull.filter(({ isPresent }) => !isPresent).map(({ name }) => name)).toEqual([]);
  });

  it.each(CHANGES)("are all refused together by $name if they are null", async ({ name, parts }) => {
    const present = parts.filter(({ isPresent }) => isPresent);
    const sent = present.map((part) => `${part.name}: null`).join(", ");
    const query = `mutation { ${name}(input: { id: "${SAMPLE_ID}", ${sent} }) { __typename } }`;
    const { body } = await personFor(name).graphql(query);
    expect(body.errors?.[0]?.extensions).toEqual({
      code: "VALIDATION_FAILED",
      details: present.map((part) => ({
        path: `input.${part.name}`,
        message: `input.${part.name} must not be null. Omit it to keep the current value.`,
      })),
    });
  });

  it.each(CHANGES)("are also refused by the endpoint of $name", async ({ name, parts }) => {
    for (const part of parts.filter(({ isPresent }) => isPresent)) {
      const field = RENAMED[part.name] ?? restNameOf(part.name);
      const answer = await personFor(name).call(`/v1${PATHS.get(name)?.replace("{id}", SAMPLE_ID)}`, {
        method: "PATCH",
        json: { [field]: null },
      });
      expect([answer.status, answer.body.error?.code]).toEqual([422, "VALIDATION_FAILED"]);
      expect(answer.body.error?.message).toMatch(new RegExp(`^body\\.${field}: expected .*, got null`));
    }
  });

  it.each(CHANGES)(
    "are named in REST's spelling if the endpoint of $name gets none of them",
    async ({ name }) => {
      const path = `/v1${PATHS.get(name)?.replace("{id}", SAMPLE_ID)}`;
      const { status, body } = await personFor(name).call(path, { method: "PATCH", json: {} });
      expect([404, 422]).toContain(status);
      expect(body.error?.message).not.toMatch(/[a-z][A-Z]/);
    },
  );

  it("must not be null in variables either, but may be omitted", async () => {
    const query = "mutation ($input: UpdateFacilityInput!) { updateFacility(input: $input) { __typename } }";
    const codeFor = async (changes: object) =>
      (await owner.graphql(query, { input: { id: SAMPLE_ID, ...changes } })).body.errors?.[0]?.extensions
        .code;
    expect(await codeFor({ name: null })).toBe("VALIDATION_FAILED");
    expect(await codeFor({ country: null })).toBe("NOT_FOUND");
    expect(await codeFor({ name: "Works" })).toBe("NOT_FOUND");
  });
});
