import { readFile } from "node:fs/promises";
import type { GraphQLObjectType } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROLE_SCOPES } from "../../src/domain/people/roles.js";
import { satisfies } from "../../src/domain/scopes.js";
import { createSchema } from "../../src/graphql/schema/schema.js";
import { requiredScopes } from "../../src/graphql/schema/scope-directive.js";
import { SCHEMA_FILE } from "../../src/paths.js";
import { isOperation } from "../../src/rest/endpoint.js";
import { mutationsOf, SAMPLE_ID } from "../support/mutations.js";
import { signUp, type TestPerson } from "../support/people.js";
import { type Envelope, type Gateway, startGateway } from "../support/server.js";
import { addServiceAccount } from "../support/service-accounts.js";
import { listV1 } from "../support/v1.js";

const schema = createSchema(await readFile(SCHEMA_FILE, "utf8"));
const v1 = await listV1();

/** Mutations for users only, although service accounts can have their scopes. */
const OF_PEOPLE = [
  "createServiceAccount",
  "rotateServiceAccount",
  "updateServiceAccount",
  "revokeServiceAccount",
  "endSession",
  "renameViewer",
  "acceptInvitation",
  "updateNotificationPreferences",
  "readNotification",
  "readAllNotifications",
  "dismissAnnouncement",
  "chat",
  "deleteConversation",
  "startVerification",
  "requestVerificationChanges",
  "confirmVerifier",
  "decideVerification",
  "addVerificationFinding",
  "acceptVerification",
];

let gateway: Gateway;
let ada: TestPerson;
beforeAll(async () => {
  gateway = await startGateway();
  ada = await signUp(gateway);
});
afterAll(() => gateway.stop());

describe("a service account", () => {
  it.each(["viewer", "editor", "admin"] as const)(
    "with the role %s and all of its scopes runs the mutations of these scopes, and no others",
    async (role) => {
      const { graphql } = await addServiceAccount(gateway, ada, { role, scopes: [...ROLE_SCOPES[role]] });
      const fields = (schema.getMutationType() as GraphQLObjectType).getFields();
      for (const [name, operation] of mutationsOf(schema)) {
        const required = fields[name] ? requiredScopes(schema, fields[name]) : [];
        const holds = required.every((scopes) => satisfies(ROLE_SCOPES[role], scopes));
        // Leaving an organization needs no scope; removing others does.
        const isAllowed = holds && !OF_PEOPLE.includes(name) && (name !== "removeMember" || role === "admin");
        const { body } = await graphql(operation);
        const codes = body.errors?.map(({ extensions }) => extensions.code) ?? [];
        expect([name, codes.includes("FORBIDDEN")]).toEqual([name, !isAllowed]);
        expect([name, codes]).toEqual([
          name,
          expect.not.arrayContaining(["INTERNAL_ERROR", "UNAUTHENTICATED"]),
        ]);
      }
    },
  );

  it("is refused by every endpoint for users, at both prefixes", async () => {
    const account = await addServiceAccount(gateway, ada, { scopes: [...ROLE_SCOPES.admin] });
    const forPeople = v1
      .filter(isOperation)
      .filter(({ scope, serviceAccounts }) => scope === null && !serviceAccounts);
    expect(forPeople.map(({ path }) => path)).toContain("/auth/sessions");
    for (const { method, path } of forPeople) {
      const filled = path.replace("{module}", "emissions").replaceAll(/\{\w+\}/g, SAMPLE_ID);
      for (const prefix of ["/v1", "/api/v1"]) {
        const { status, body } = await account.call<Envelope>(prefix + filled, { method });
        expect([method, path, status, body.error?.code]).toEqual([method, path, 403, "FORBIDDEN"]);
      }
    }
  });
});
