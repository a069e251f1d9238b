import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { SESSION_KINDS } from "../../../domain/people/session-kinds.js";
import { graphql, type RestEndSessionMutation } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { lowerCase } from "../../ext/lower-case.js";

const sessionShape = z
  .object({
    id: z.uuid(),
    kind: z.enum(SESSION_KINDS),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().meta({ description: "To the minute." }),
    expires_at: z.iso.datetime(),
    address: z.string().nullable().meta({ description: "Where it was begun from." }),
    user_agent: z.string().nullable().meta({ description: "The program that it was begun with." }),
    current: z.boolean().meta({ description: "Whether it is the session that asks." }),
  })
  .meta({ id: "Session" });

const EXAMPLE: z.infer<typeof sessionShape> = {
  id: "e3b1c9a4-2d7f-4b60-8a15-9c0d1e2f3a4b",
  kind: "browser",
  created_at: "2026-11-20T10:00:00.000Z",
  last_used_at: "2026-11-20T11:30:00.000Z",
  expires_at: "2026-11-20T22:00:00.000Z",
  address: "203.0.113.7",
  user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  current: true,
};

type Session = NonNullable<RestEndSessionMutation["endSession"]>;

const describeSession = ({ id, kind, address, userAgent, isCurrent, ...times }: Session) => ({
  id,
  kind: lowerCase(kind),
  created_at: times.createdAt.toISOString(),
  last_used_at: times.lastUsedAt.toISOString(),
  expires_at: times.expiresAt.toISOString(),
  address: address ?? null,
  user_agent: userAgent ?? null,
  current: isCurrent,
});

/** A person's own sessions. */
export const sessions = [
  endpoint({
    path: "/auth/sessions",
    summary: "Your sessions that have not ended, oldest first",
    scope: null,
    operation: graphql(`
      query RestSessions($first: Int, $after: String) {
        viewer {
          sessions(first: $first, after: $after) {
            nodes { id kind createdAt lastUsedAt expiresAt address userAgent isCurrent }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("Sessions", sessionShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ viewer }) => ({
      items: viewer.sessions.nodes.map(describeSession),
      next_cursor: nextCursor(viewer.sessions.pageInfo),
    }),
  }),
  endpoint({
    method: "DELETE",
    path: "/auth/sessions/{id}",
    summary: "Ends one of your sessions",
    scope: null,
    operation: graphql(`
      mutation RestEndSession($id: UUID!) {
        endSession(id: $id) { id kind createdAt lastUsedAt expiresAt address userAgent isCurrent }
      }
    `),
    params: z.object({ id: uuidShape }),
    variables: ({ params }) => ({ id: params.id }),
    data: sessionShape,
    example: EXAMPLE,
    reshape: ({ endSession }) => describeSession(endSession),
  }),
];
