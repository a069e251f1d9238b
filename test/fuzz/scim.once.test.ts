import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { ATTRIBUTES } from "../../src/domain/directory/attributes.js";
import { type Fault, openDirectory, PATCH, type Resource, USER } from "../scim/directory.js";
import { use, useGateway } from "../support/use.js";
import { casesOf, fuzz, TIME_LIMIT } from "./fuzz.js";

let leaver: Resource;
const gateway = useGateway({ env: { SCIM_REQUESTS_PER_HOUR: "999999999" } });
const directory = use(() => openDirectory(gateway));
beforeAll(async () => {
  leaver = await directory.addUser({ active: false });
});

const names = Object.keys(ATTRIBUTES.User);
/** Values that say nothing about `active`, and lists with items that are primary. */
const values = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, "", [], {}, [null], [{}], 0, "null", "none", { value: null }),
  fc.array(
    fc.record({
      value: fc.string(),
      type: fc.constantFrom("work", "home"),
      primary: fc.constantFrom(true, false, null, "True"),
    }),
    {
      maxLength: 4,
    },
  ),
);
const operation = fc.record(
  {
    op: fc.constantFrom("add", "replace", "remove", "Add", null),
    path: fc.oneof(
      fc.constantFrom(
        ...names,
        'emails[type eq "work"]',
        'emails[type eq "home"].primary',
        "name.givenName",
        null,
      ),
      fc.string(),
    ),
    value: fc.oneof(values, fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 3 })),
  },
  { requiredKeys: ["op"] },
);
const cases = fc.oneof(
  fc.array(operation, { minLength: 1, maxLength: 4 }).map((Operations) => ({
    method: "PATCH",
    json: { schemas: [PATCH], Operations },
  })),
  fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 4 }).map((fields) => ({
    method: "PUT",
    json: { schemas: [USER], userName: leaver.userName, ...fields },
  })),
  fc.constant({ method: "HEAD", json: undefined }),
);

describe("any change of a leaver by SCIM that does not say active", () => {
  it(
    "is answered below 500 in SCIM's form, and lets nobody in",
    async (context) => {
      const path = `/Users/${leaver.id}`;
      const outcomes = await fuzz("scim", context, cases, async ({ method, json }) => {
        const { status, body } = await directory.scim<Fault | "">(path, {
          method,
          ...(json !== undefined && { json }),
        });
        expect(status).toBeLessThan(500);
        if (status >= 400) expect(body).toMatchObject({ status: String(status) });
        if (method === "HEAD") expect([status, body]).toEqual([200, ""]);
        const { body: after } = await directory.scim(path);
        expect([after.active, after.emails.length]).toEqual([false, 1]);
        return [`${method} ${status}`];
      });
      expect(outcomes["HEAD 200"] ?? 0).toBeGreaterThan(casesOf("scim") / 10);
    },
    TIME_LIMIT,
  );
});
