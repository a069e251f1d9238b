import { requireAccess } from "../../../access/context.js";
import { verifyOwnTrail } from "../../../actions/audit-trail.js";
import {
  type AuditEntryRow,
  type AuditFilter,
  countAuditEntries,
  findOwnHead,
  listAuditEntries,
} from "../../../data/audit/entries.js";
import { AUDIT_ACTIONS, isAuditAction } from "../../../domain/audit-actions.js";
import { type SummarizedEntry, summarize } from "../../../domain/audit-summary.js";
import { isoDate, isSupportedDate } from "../../../domain/window.js";
import type { AuditEntryFilter, Resolvers } from "../../../generated/resolvers.js";
import { refuseArgument, requireNoNul } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { objectId } from "../object-id.js";

export const audit = {
  Query: { auditLog: () => ({}) },
  AuditLog: {
    id: (_parent, _args, context) => objectId(context, "AuditLog"),
    head: (_parent, _args, context) => findOwnHead(requireAccess(context).tenant),
    entries(_parent, { filter, ...args }, context) {
      const access = requireAccess(context);
      const wanted = readFilter(filter ?? {});
      return readConnection(access, args, {
        name: "auditEntries",
        parameters: [wanted],
        read: (page) => listAuditEntries(access.tenant, wanted, page),
        count: () => countAuditEntries(access.tenant, wanted),
        toNode: itself,
      });
    },
    // Not subject to the request's time limit, which a long chain would exceed.
    verification(_parent, _args, context) {
      const { resources, tenant } = requireAccess(context);
      return verifyOwnTrail(resources.database, tenant.organizationId);
    },
  },
  AuditEntry: {
    id: ({ seq }, _args, context) => objectId(context, "AuditEntry", seq),
    changes: ({ entry }) => readChanges(entry),
    summary: (row) => summarize(nameTarget(row)),
  },
  AuditHead: { id: ({ hash }, _args, context) => objectId(context, "AuditHead", hash) },
  AuditVerification: {
    id: (_parent, _args, context) => objectId(context, "AuditVerification"),
    isIntact: ({ ok }) => ok,
  },
} satisfies Resolvers;

/** Returns an entry with its changes. If the target has no current name, uses the name recorded in the entry. */
function nameTarget(row: AuditEntryRow): SummarizedEntry {
  const changes = readChanges(row.entry);
  const { name, title, reference, file, year } = changes ?? {};
  const named = [name, title, reference, file, year].find((text) =>
    ["string", "number"].includes(typeof text),
  );
  return { ...row, changes, targetName: row.targetName ?? (named === undefined ? null : String(named)) };
}

/**
 * Reads a filter. Throws BAD_USER_INPUT for a time outside the supported years, an end before the start, an unknown
 * action, or a NUL.
 */
function readFilter({ action, ...filter }: AuditEntryFilter): AuditFilter {
  const { from, to } = filter;
  for (const [name, time] of Object.entries({ from, to })) {
    if (time && !isSupportedDate(isoDate(time))) {
      throw refuseArgument(`filter.${name}`, "expected a time in the years 1000 to 2999");
    }
  }
  if (from && to && to < from) {
    throw refuseArgument("filter.to", `expected ${from.toISOString()} or later, got ${to.toISOString()}`);
  }
  for (const name of ["actor", "targetType", "targetId"] as const)
    requireNoNul(`filter.${name}`, filter[name]);
  if (action == null || isAuditAction(action)) return { ...filter, action };
  throw refuseArgument("filter.action", `expected one of ${AUDIT_ACTIONS.join(", ")}, got ${action}`);
}

/** Reads the changes in an entry's text; null without changes, or if someone has made the text unreadable. */
function readChanges(entry: string): Record<string, unknown> | null {
  try {
    const { changes } = JSON.parse(entry) as { changes?: unknown };
    return typeof changes === "object" ? (changes as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
