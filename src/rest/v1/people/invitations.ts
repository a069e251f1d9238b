import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { graphql, type InvitationFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { roleShape, upperCase } from "./role.js";
import { organizationShape } from "./viewer.js";

const invitationShape = z
  .object({
    id: z.uuid(),
    email: z.string(),
    role: roleShape,
    expires_at: z.iso.datetime(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Invitation" });

const EXAMPLE: z.infer<typeof invitationShape> = {
  id: "2f0d6a1c-8f1e-4d57-9a0b-3c5e7d9b1f24",
  email: "grace@example.com",
  role: "editor",
  expires_at: "2026-11-27T10:00:00.000Z",
  created_at: "2026-11-20T10:00:00.000Z",
};

graphql(`
  fragment InvitationFields on Invitation {
    id email role expiresAt createdAt
  }
`);

const describeInvitation = ({ id, email, role, expiresAt, createdAt }: InvitationFieldsFragment) => ({
  id,
  email,
  role: lowerCase(role),
  expires_at: expiresAt.toISOString(),
  created_at: createdAt.toISOString(),
});

/** Who is invited to the organization. */
export const invitations = [
  endpoint({
    path: "/invitations",
    summary: "The organization's invitations that can be accepted, oldest first",
    scope: "manage:members",
    operation: graphql(`
      query RestInvitations($first: Int, $after: String) {
        invitations(first: $first, after: $after) {
          nodes { ...InvitationFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("Invitations", invitationShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ invitations: { nodes, pageInfo } }) => ({
      items: nodes.map(describeInvitation),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/invitations",
    summary:
      "Invites somebody by a link. For people who gave their password in the last 10 minutes; for an owner, it needs the scope manage:organization, too",
    scope: "manage:members",
    operation: graphql(`
      mutation RestInviteMember($email: String!, $role: Role!) {
        inviteMember(email: $email, role: $role) { invitation { ...InvitationFields } link }
      }
    `),
    body: z.strictObject({ email: z.string(), role: roleShape }),
    variables: ({ body }) => ({ email: body.email, role: upperCase(body.role) }),
    data: invitationShape
      .extend({ link: z.url().meta({ description: "To send to the person. It is shown this once." }) })
      .meta({ id: "NewInvitation" }),
    example: { ...EXAMPLE, link: "https://carbon.example.com/console/#invitation=cgw_inv_Example" },
    reshape: ({ inviteMember: { invitation, link } }) => ({ ...describeInvitation(invitation), link }),
    createdId: ({ id }) => id,
  }),
  endpoint({
    method: "DELETE",
    path: "/invitations/{id}",
    summary: "Revokes an invitation. For one to become an owner, it needs the scope manage:organization, too",
    scope: "manage:members",
    operation: graphql(`
      mutation RestRevokeInvitation($id: UUID!) {
        revokeInvitation(id: $id) { ...InvitationFields }
      }
    `),
    params: z.object({ id: uuidShape }),
    variables: ({ params }) => ({ id: params.id }),
    data: invitationShape,
    example: EXAMPLE,
    reshape: ({ revokeInvitation }) => describeInvitation(revokeInvitation),
  }),
  endpoint({
    method: "POST",
    path: "/invitations/accept",
    summary: "Makes you a member by an invitation to your e-mail address",
    scope: null,
    failures: ["NOT_FOUND"],
    operation: graphql(`
      mutation RestAcceptInvitation($token: String!) {
        acceptInvitation(token: $token) { organization { id slug name } role }
      }
    `),
    body: z.strictObject({ invitation: z.string().meta({ description: "The token in the link." }) }),
    variables: ({ body }) => ({ token: body.invitation }),
    data: z.object({ organization: organizationShape, role: roleShape }).meta({ id: "AcceptedInvitation" }),
    example: {
      organization: { id: "5d0c2f3a-6a3e-4f0e-8c57-1f2e3d4c5b6a", slug: "acme", name: "Acme Ltd" },
      role: "editor",
    },
    reshape: ({ acceptInvitation: { organization, role } }) => ({ organization, role: lowerCase(role) }),
  }),
];
