import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { graphql, type MemberFieldsFragment } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";
import { roleShape, upperCase } from "./role.js";

const memberShape = z
  .object({
    user_id: z.uuid(),
    email: z.string(),
    name: z.string(),
    role: roleShape,
    created_at: z.iso.datetime().meta({ description: "When the person became a member." }),
  })
  .meta({ id: "Member" });

const EXAMPLE: z.infer<typeof memberShape> = {
  user_id: "7c9a3a52-0d6b-4b8e-9d3e-6a1f0c2b5e41",
  email: "ada@example.com",
  name: "Ada Person",
  role: "editor",
  created_at: "2026-11-20T10:00:00.000Z",
};

graphql(`
  fragment MemberFields on Member {
    user { id email name } role createdAt
  }
`);

const describeMember = ({ user, role, createdAt }: MemberFieldsFragment) => ({
  user_id: user.id,
  email: user.email,
  name: user.name,
  role: lowerCase(role),
  created_at: createdAt.toISOString(),
});

const params = z.object({ user_id: uuidShape });

/** The organization's members. */
export const members = [
  endpoint({
    path: "/members",
    summary: "The organization's members, oldest first",
    scope: null,
    operation: graphql(`
      query RestMembers($first: Int, $after: String) {
        members(first: $first, after: $after) {
          nodes { ...MemberFields }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("Members", memberShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ members: { nodes, pageInfo } }) => ({
      items: nodes.map(describeMember),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "PATCH",
    path: "/members/{user_id}",
    summary:
      "Changes a member's role. For people who gave their password in the last 10 minutes; from or to owner, it needs the scope manage:organization, too",
    scope: "manage:members",
    failures: ["CONFLICT"],
    operation: graphql(`
      mutation RestChangeMemberRole($userId: UUID!, $role: Role!) {
        changeMemberRole(userId: $userId, role: $role) { ...MemberFields }
      }
    `),
    params,
    body: z.strictObject({ role: roleShape }),
    variables: ({ params, body }) => ({ userId: params.user_id, role: upperCase(body.role) }),
    data: memberShape,
    example: EXAMPLE,
    reshape: ({ changeMemberRole }) => describeMember(changeMemberRole),
  }),
  endpoint({
    method: "DELETE",
    path: "/members/{user_id}",
    summary:
      "Removes a member, and ends their sessions in the organization. Everybody may leave; removing others needs the scope manage:members, for owners manage:organization, and a password that was given in the last 10 minutes",
    scope: null,
    failures: ["CONFLICT"],
    operation: graphql(`
      mutation RestRemoveMember($userId: UUID!) {
        removeMember(userId: $userId) { ...MemberFields }
      }
    `),
    params,
    variables: ({ params }) => ({ userId: params.user_id }),
    data: memberShape,
    example: EXAMPLE,
    reshape: ({ removeMember }) => describeMember(removeMember),
  }),
];
