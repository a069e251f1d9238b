import { type KeyEventValues, listKeyEvents, listOrganizationKeyEvents } from "../../data/keys/key-events.js";
import { findKey } from "../../data/keys/keys.js";
import type { KeyEvent } from "../../generated/prisma/client.js";
import { ActionError } from "../action-error.js";
import type { KeyContext } from "./key-checks.js";
import { requireKeyId } from "./key-summary.js";

/** An entry of the audit trail of keys. It contains no secret. */
export interface KeyEventSummary {
  readonly id: number;
  readonly at: Date;
  readonly keyId: string;
  readonly organizationId: string;
  /** The organization's slug at that time. */
  readonly organization: string | null;
  readonly kind: string;
  /** A command, or `user` or `service_account` and an id; null for a change by plain SQL. */
  readonly command: string | null;
  readonly databaseUser: string;
  readonly old: KeyEventValues | null;
  readonly new: KeyEventValues | null;
}

/** Subject of a history: a key by its id, or an organization by its slug. */
export type HistorySubject = { readonly id: string } | { readonly organization: string };

/**
 * Lists the events of keys, oldest first, including those of deleted keys. Throws ActionError if the subject is unknown
 * and has no events.
 */
export async function readHistory(
  { database }: Pick<KeyContext, "database">,
  subject: HistorySubject,
): Promise<KeyEventSummary[]> {
  if ("organization" in subject) {
    const { organization } = subject;
    const events = await listOrganizationKeyEvents(database, organization);
    if (events) return events.map(summarize);
    const message = `There is no current or deleted organization "${organization}".`;
    throw new ActionError("NOT_FOUND", "organization", message);
  }
  const id = requireKeyId(subject.id);
  const events = await listKeyEvents(database, id);
  if (events.length === 0 && !(await findKey(database, id))) {
    throw new ActionError("NOT_FOUND", "key", `There is no current or deleted key with the id ${id}.`);
  }
  return events.map(summarize);
}

function summarize(event: KeyEvent): KeyEventSummary {
  return {
    id: Number(event.id),
    at: event.at,
    keyId: event.keyId,
    organizationId: event.organizationId,
    organization: event.organization,
    kind: event.kind,
    command: event.command,
    databaseUser: event.databaseUser,
    old: event.old as KeyEventValues | null,
    new: event.new as KeyEventValues | null,
  };
}
