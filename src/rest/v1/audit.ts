import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../catalogue/list.js";
import { AUDIT_ACTIONS } from "../../domain/audit-actions.js";
import { graphql } from "../../generated/operations.js";
import { endpoint, stream } from "../endpoint.js";

const DAY_MS = 86_400_000;

/** Creates the shape of a time. A date means the beginning or the end of that day. */
const timeShape = (edge: "begin" | "end", description: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], {
      error: "expected a date or a time in ISO 8601, such as 2026-11-20 or 2026-11-20T10:00:00Z",
    })
    .transform((text) => {
      const isDay = !text.includes("T");
      return new Date(Date.parse(text) + (isDay && edge === "end" ? DAY_MS : 0));
    })
    .optional()
    .meta({ description });

const textShape = (description: string) => z.string().min(1).optional().meta({ description });

const head = z
  .object({
    seq: z.int().meta({ description: "Number of the entry, which is also the number of entries." }),
    hash: z.string().meta({ description: "Hash of the entry, in hexadecimal." }),
  })
  .meta({ id: "AuditHead", description: "The last entry of the chain." });

const ENTRY = {
  prev_hash: z.string().meta({ description: "Hash of the previous entry; 64 zeros for the first." }),
  hash: z.string().meta({ description: "SHA-256 of `prev_hash`, a line feed and `entry`, in hexadecimal." }),
  entry: z.string().meta({ description: "The hashed text: JSON." }),
};

const item = z
  .object({
    seq: z.int().meta({ description: "Number in the chain, starting at 1 without gaps." }),
    occurred_at: z.iso.datetime().meta({ description: "Time of recording." }),
    action: z.string().meta({ description: "Action, such as `api_key.created`." }),
    summary: z.string().meta({
      description:
        'The entry in a sentence, such as `Ada Person changed the limit of key "ERP" from Free to Pro`.',
    }),
    actor: z
      .object({
        type: z.string().meta({
          description:
            "Type of actor, such as `user`, `service_account`, `visitor`, `command` or `sql`. New values may appear.",
        }),
        id: z.string().nullable().meta({
          description: "Id of the person or service account, or name of the command; null for other actors.",
        }),
        name: z
          .string()
          .nullable()
          .meta({ description: "Current name of the person or service account; null for other actors." }),
      })
      .meta({ id: "AuditActor" }),
    target: z
      .object({
        type: z.string().meta({ description: "Type of the changed object, such as `api_key`." }),
        id: z
          .string()
          .nullable()
          .meta({ description: "Id of the changed object; null if the entry covers many rows." }),
      })
      .meta({ id: "AuditTarget" }),
    changes: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: "Values, or `from` and `to` for each changed value. Secrets are `***`." }),
    request_id: z
      .string()
      .nullable()
      .meta({ description: "Id of the request that made the change; null if no request did." }),
    ...ENTRY,
  })
  .meta({ id: "AuditEntry" });

const EXAMPLE_HEAD = {
  seq: 1,
  hash: "81070dcecdfac070d9b3d3804f29d4efe67e48522250cfbc7694ab01bb4f766a",
};
const EXAMPLE_LINE = {
  entry:
    '{"action":"api_key.created","actor":{"id":"00000000-0000-4000-8000-0000000000aa","type":"user"},"changes":{"name":"ERP","scopes":["read:emissions"],"tier":"free"},"occurred_at":"2026-11-20T10:00:00.000Z","organization_id":"00000000-0000-4000-8000-000000000001","request_id":"00000000-0000-4000-8000-0000000000f1","seq":1,"target":{"id":"00000000-0000-4000-8000-0000000000b1","type":"api_key"}}',
  prev_hash: "0".repeat(64),
  hash: EXAMPLE_HEAD.hash,
};

export const auditLog = endpoint({
  path: "/audit/log",
  summary: "The organization's audit trail: who changed what, and when; latest first",
  scope: "read:audit",
  query: listQuery.extend({
    from: timeShape("begin", "Only entries at or after this time, or since the beginning of this day."),
    to: timeShape("end", "Only entries before this time, or up to the end of this day."),
    actor: textShape(
      "Only entries of this actor: the id of a person or service account, or the name of a command.",
    ),
    action: z.enum(AUDIT_ACTIONS).optional(),
    target_type: textShape("Only entries about this type of target, such as `api_key`."),
    target_id: textShape("Only entries about this target."),
  }),
  operation: graphql(`
    query V1AuditLog($filter: AuditEntryFilter, $first: Int, $after: String) {
      auditLog {
        head { seq hash }
        entries(filter: $filter, first: $first, after: $after) {
          nodes {
            seq occurredAt action summary actorType actorId actorName targetType targetId changes requestId prevHash hash entry
          }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  `),
  variables: ({ query: { from, to, actor, action, target_type, target_id, ...page } }) => ({
    filter: { from, to, actor, action, targetType: target_type, targetId: target_id },
    ...pageOf(page),
  }),
  data: pageShape("AuditLogPage", item)
    .extend({
      head: head
        .nullable()
        .meta({ description: "The last entry of the chain; null if there are no entries." }),
    })
    .meta({ id: "AuditLog" }),
  example: {
    items: [
      {
        seq: 1,
        occurred_at: "2026-11-20T10:00:00.000Z",
        action: "api_key.created",
        summary: 'Ada Person created key "ERP"',
        actor: { type: "user", id: "00000000-0000-4000-8000-0000000000aa", name: "Ada Person" },
        target: { type: "api_key", id: "00000000-0000-4000-8000-0000000000b1" },
        changes: { name: "ERP", scopes: ["read:emissions"], tier: "free" },
        request_id: "00000000-0000-4000-8000-0000000000f1",
        ...EXAMPLE_LINE,
      },
    ],
    next_cursor: null,
    head: EXAMPLE_HEAD,
  },
  reshape: ({ auditLog: { head, entries } }) => ({
    items: entries.nodes.map((node) => ({
      seq: node.seq,
      occurred_at: node.occurredAt.toISOString(),
      action: node.action,
      summary: node.summary,
      actor: { type: node.actorType, id: node.actorId ?? null, name: node.actorName ?? null },
      target: { type: node.targetType, id: node.targetId ?? null },
      changes: node.changes ?? null,
      request_id: node.requestId ?? null,
      prev_hash: node.prevHash,
      hash: node.hash,
      entry: node.entry,
    })),
    next_cursor: nextCursor(entries.pageInfo),
    head: head ?? null,
  }),
});

export const auditExport = stream({
  path: "/audit/log/export",
  summary: "The organization's audit trail, oldest entry first, for independent verification",
  scope: "read:audit",
  // The list is newest first, so its last page has the oldest entries.
  operation: graphql(`
    query V1AuditExport($before: String) {
      auditLog {
        entries(last: 100, before: $before) {
          nodes { entry prevHash hash }
          pageInfo { hasPreviousPage startCursor }
        }
      }
    }
  `),
  data: z.object({ entry: ENTRY.entry, prev_hash: ENTRY.prev_hash, hash: ENTRY.hash }),
  example: EXAMPLE_LINE,
  readLines: ({ auditLog: { entries } }) => ({
    lines: entries.nodes
      .toReversed()
      .map(({ entry, prevHash, hash }) => ({ entry, prev_hash: prevHash, hash })),
    next: entries.pageInfo.hasPreviousPage ? { before: entries.pageInfo.startCursor ?? null } : null,
  }),
});
