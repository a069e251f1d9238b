import { z } from "zod";
import { SESSION_KINDS } from "../../../domain/people/session-kinds.js";
import { SCOPES } from "../../../domain/scopes.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint, type OperationEndpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { roleShape } from "./role.js";

/** The shape of an organization. */
export const organizationShape = z
  .object({ id: z.uuid(), slug: z.string(), name: z.string() })
  .meta({ id: "Organization" });

/** The shape of a person, as the person sees it. */
export const userShape = z
  .object({ id: z.uuid(), email: z.string(), name: z.string(), created_at: z.iso.datetime() })
  .meta({ id: "User" });

const ACME = { id: "5d0c2f3a-6a3e-4f0e-8c57-1f2e3d4c5b6a", slug: "acme", name: "Acme Ltd" };

const getMe = endpoint({
  path: "/auth/me",
  summary: "Who you are, and what you may do in the organization that is active in your session",
  scope: null,
  operation: graphql(`
      query RestViewer {
        viewer {
          user { id email name createdAt }
          organization { id slug name }
          role
          scopes
          organizations { organization { id slug name } role }
          session { id kind createdAt expiresAt authenticatedAt }
        }
      }
    `),
  data: z
    .object({
      user: userShape,
      organization: organizationShape,
      role: roleShape,
      scopes: z.array(z.enum(SCOPES)),
      organizations: z.array(organizationShape.extend({ role: roleShape }).meta({ id: "Membership" })),
      session: z
        .object({
          id: z.uuid(),
          kind: z.enum(SESSION_KINDS),
          created_at: z.iso.datetime(),
          expires_at: z.iso.datetime(),
          authenticated_at: z.iso.datetime().meta({ description: "When the password was last given." }),
        })
        .meta({ id: "OwnSession" }),
    })
    .meta({ id: "Me" }),
  example: {
    user: {
      id: "7c9a3a52-0d6b-4b8e-9d3e-6a1f0c2b5e41",
      email: "ada@example.com",
      name: "Ada Person",
      created_at: "2026-11-01T09:00:00.000Z",
    },
    organization: ACME,
    role: "viewer",
    scopes: ["read:emissions", "read:compliance", "read:credits", "read:benchmarks", "read:market"],
    organizations: [{ ...ACME, role: "viewer" }],
    session: {
      id: "e3b1c9a4-2d7f-4b60-8a15-9c0d1e2f3a4b",
      kind: "token",
      created_at: "2026-11-20T10:00:00.000Z",
      expires_at: "2026-12-20T10:00:00.000Z",
      authenticated_at: "2026-11-20T10:00:00.000Z",
    },
  },
  reshape: ({ viewer: { user, organization, role, scopes, organizations, session } }) => ({
    user: { id: user.id, email: user.email, name: user.name, created_at: user.createdAt.toISOString() },
    organization,
    role: lowerCase(role),
    scopes: scopes as (typeof SCOPES)[number][],
    organizations: organizations.map((one) => ({ ...one.organization, role: lowerCase(one.role) })),
    session: {
      id: session.id,
      kind: lowerCase(session.kind),
      created_at: session.createdAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
      authenticated_at: session.authenticatedAt.toISOString(),
    },
  }),
});

/** Who is signed in. The contract's version history has it with POST, so both methods answer alike. */
export const viewer: readonly OperationEndpoint[] = [getMe, { ...getMe, method: "POST" }];
