import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { listOf, upperCase, uuidShape } from "../../../catalogue/values.js";
import { KEY_STATUSES, OVERLAP_HOURS } from "../../../domain/keys/rules.js";
import { KEY_SCOPES } from "../../../domain/scopes.js";
import { TIERS } from "../../../domain/tiers.js";
import { graphql, type KeyFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const keyShape = z
  .object({
    id: z.uuid(),
    name: z.string(),
    display: z.string().meta({ description: "The beginning and the end of the key." }),
    scopes: z.array(z.string()),
    tier: z.enum(TIERS),
    status: z.enum(KEY_STATUSES).meta({
      description: "`expiring`: it expires within 7 days, or was replaced and goes on for a while.",
    }),
    created_at: z.iso.datetime(),
    created_by: z
      .object({ id: z.uuid(), name: z.string() })
      .meta({ id: "ApiKeyCreator" })
      .nullable()
      .meta({ description: "Null if an operator made the key, or the account was deleted." }),
    expires_at: z.iso.datetime().nullable(),
    revoked_at: z.iso.datetime().nullable(),
    last_used_at: z.iso.datetime().nullable(),
    replaced_by: z.uuid().nullable().meta({ description: "Id of the key that replaced it." }),
    version: z.int(),
    budget: z
      .object({ limit: z.int(), used: z.int(), remaining: z.int(), reset_at: z.iso.datetime() })
      .meta({ id: "ApiKeyBudget", description: "What is left of the key's hourly limit now." }),
  })
  .meta({ id: "ApiKey" });

type ApiKey = z.infer<typeof keyShape>;

const EXAMPLE: ApiKey = {
  id: "3c5a0b52-8a6e-4c1c-a0c2-0d4f5e4f9d11",
  name: "ERP",
  display: "cgw_live_Ab12…x9Yz",
  scopes: ["read:emissions"],
  tier: "pro",
  status: "active",
  created_at: "2026-11-20T10:00:00.000Z",
  created_by: { id: "7c9a3a52-0d6b-4b8e-9d3e-6a1f0c2b5e41", name: "Ada Person" },
  expires_at: "2027-02-18T10:00:00.000Z",
  revoked_at: null,
  last_used_at: null,
  replaced_by: null,
  version: 1,
  budget: { limit: 1_000, used: 0, remaining: 1_000, reset_at: "2026-11-20T11:00:00.000Z" },
};

const newKeyShape = keyShape
  .extend({ key: z.string().meta({ description: "The key itself. It is shown this once." }) })
  .meta({ id: "NewApiKey" });

const NEW_EXAMPLE = { ...EXAMPLE, key: "cgw_live_…" };

graphql(`
  fragment KeyFields on ApiKey {
    id name display scopes tier status createdAt createdBy { id name } expiresAt revokedAt lastUsedAt
    replacedBy version budget { limit used remaining resetAt }
  }
`);

const describeKey = (key: KeyFieldsFragment): ApiKey => ({
  id: key.id,
  name: key.name,
  display: key.display,
  scopes: [...key.scopes],
  tier: lowerCase(key.tier),
  status: lowerCase(key.status),
  created_at: key.createdAt.toISOString(),
  created_by: key.createdBy ?? null,
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  replaced_by: key.replacedBy ?? null,
  version: key.version,
  budget: {
    limit: key.budget.limit,
    used: key.budget.used,
    remaining: key.budget.remaining,
    reset_at: key.budget.resetAt.toISOString(),
  },
});

const params = z.object({ id: uuidShape });
const scope = "manage:keys";
const version = (key: ApiKey) => key.version;

/** The parts of a key that people set. The rules of their values are the graph's. */
const settings = {
  name: z.string(),
  scopes: z.array(z.enum(KEY_SCOPES)),
  tier: z.enum(TIERS),
};
const expiresAt = z.iso.datetime({ offset: true }).nullable().meta({ description: "Null for never." });

/** The organization's API keys. */
export const apiKeys = [
  endpoint({
    path: "/api-keys",
    summary: "The organization's API keys, oldest first",
    scope,
    operation: graphql(`
      query RestApiKeys($statuses: [ApiKeyStatus!], $first: Int, $after: String) {
        apiKeys(statuses: $statuses, first: $first, after: $after) {
          nodes { ...KeyFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery.extend({ status: listOf(KEY_STATUSES, "Only keys with one of these states") }),
    variables: ({ query: { status, ...page } }) => ({
      ...pageOf(page),
      statuses: status?.map(upperCase) ?? null,
    }),
    data: pageShape("ApiKeys", keyShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ apiKeys: { nodes, pageInfo } }) => ({
      items: nodes.map(describeKey),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/api-keys",
    summary: "Makes an API key",
    scope,
    operation: graphql(`
      mutation RestCreateApiKey($name: String!, $scopes: [Scope!]!, $tier: Tier!, $expiresAt: DateTime) {
        createApiKey(name: $name, scopes: $scopes, tier: $tier, expiresAt: $expiresAt) {
          apiKey { ...KeyFields }
          key
        }
      }
    `),
    body: z.strictObject({ ...settings, expires_at: expiresAt.optional() }),
    variables: ({ body: { tier, expires_at, ...body } }) => ({
      ...body,
      tier: upperCase(tier),
      expiresAt: (expires_at ?? null) as never,
    }),
    data: newKeyShape,
    example: NEW_EXAMPLE,
    reshape: ({ createApiKey: { apiKey, key } }) => ({ ...describeKey(apiKey), key }),
    createdId: ({ id }) => id,
    version,
  }),
  endpoint({
    path: "/api-keys/{id}",
    summary: "An API key",
    scope,
    operation: graphql(`
      query RestApiKey($id: UUID!) {
        apiKey(id: $id) { ...KeyFields }
      }
    `),
    params,
    variables: ({ params }) => params,
    data: keyShape,
    example: EXAMPLE,
    reshape: ({ apiKey }) => describeKey(apiKey),
    version,
    // What is left of its limit, and when it was last used, has no version.
    isVersioned: () => false,
  }),
  endpoint({
    method: "PATCH",
    path: "/api-keys/{id}",
    summary: "Changes the name, scopes, tier or expiry of an API key",
    scope,
    operation: graphql(`
      mutation RestUpdateApiKey(
        $id: UUID!, $name: String, $scopes: [Scope!], $tier: Tier, $expiresAt: DateTime, $expectedVersion: Int
      ) {
        updateApiKey(
          id: $id, name: $name, scopes: $scopes, tier: $tier, expiresAt: $expiresAt, expectedVersion: $expectedVersion
        ) { ...KeyFields }
      }
    `),
    params,
    body: z.strictObject({ ...settings, expires_at: expiresAt }).partial(),
    variables: ({ params, body: { tier, expires_at, ...body }, expectedVersion }) => ({
      ...params,
      ...body,
      ...(tier && { tier: upperCase(tier) }),
      ...(expires_at !== undefined && { expiresAt: expires_at as never }),
      expectedVersion,
    }),
    data: keyShape,
    example: EXAMPLE,
    reshape: ({ updateApiKey }) => describeKey(updateApiKey),
    version,
  }),
  endpoint({
    method: "DELETE",
    path: "/api-keys/{id}",
    summary: "Revokes an API key for good",
    scope,
    operation: graphql(`
      mutation RestRevokeApiKey($id: UUID!, $expectedVersion: Int) {
        revokeApiKey(id: $id, expectedVersion: $expectedVersion) { ...KeyFields }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    data: keyShape,
    example: { ...EXAMPLE, status: "revoked" as const, revoked_at: "2026-11-20T12:00:00.000Z", version: 2 },
    reshape: ({ revokeApiKey }) => describeKey(revokeApiKey),
    version,
  }),
  endpoint({
    method: "POST",
    path: "/api-keys/{id}/rotate",
    summary: "Makes a key in the place of another, which goes on for some hours or ends at once",
    scope,
    operation: graphql(`
      mutation RestRotateApiKey($id: UUID!, $overlapHours: Int!, $expectedVersion: Int) {
        rotateApiKey(id: $id, overlapHours: $overlapHours, expectedVersion: $expectedVersion) {
          apiKey { ...KeyFields }
          key
        }
      }
    `),
    params,
    body: z.strictObject({
      overlap_hours: z
        .int32()
        .default(0)
        .meta({
          description: `How long the old key goes on, unless it expires before: ${OVERLAP_HOURS.join(", ")}.`,
        }),
    }),
    variables: ({ params, body, expectedVersion }) => ({
      ...params,
      overlapHours: body.overlap_hours,
      expectedVersion,
    }),
    data: newKeyShape,
    example: NEW_EXAMPLE,
    reshape: ({ rotateApiKey: { apiKey, key } }) => ({ ...describeKey(apiKey), key }),
    createdId: ({ id }) => id,
    createdIn: "/api-keys",
    version,
  }),
];
