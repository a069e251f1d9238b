import { formatTable } from "../commands/table.js";
import { type KeyEventValues, listKeyEvents, listOrganizationKeyEvents } from "../data/keys/key-events.js";
import { findKey } from "../data/keys/keys.js";
import { OperatorError } from "../errors.js";
import type { KeyEvent } from "../generated/prisma/client.js";
import { type KeyContext, requireKeyId } from "./keys.js";

/** An entry of the trail as `keys history` prints it; nothing in it is secret. */
export interface KeyEventDescription {
  readonly id: number;
  readonly at: string;
  readonly key_id: string;
  readonly organization_id: string;
  /** The slug that the organization had. */
  readonly organization: string | null;
  readonly kind: string;
  /** Null for plain SQL. */
  readonly command: string | null;
  readonly database_user: string;
  readonly old: KeyEventValues | null;
  readonly new: KeyEventValues | null;
}

/** Whose history: one key's, by its id, or an organization's, by its slug. */
export type HistorySubject = { readonly id: string } | { readonly organization: string };

/** What happened to keys, oldest first, those that are gone included. Throws OperatorError where nothing is known of them. */
export async function readHistory(
  { database }: Pick<KeyContext, "database">,
  subject: HistorySubject,
): Promise<KeyEventDescription[]> {
  if ("organization" in subject) {
    const events = await listOrganizationKeyEvents(database, subject.organization);
    if (events) return events.map(describe);
    throw new OperatorError(
      `There is no organization "${subject.organization}", and the trail knows of none. See: npm run gateway -- organizations list`,
    );
  }
  const id = requireKeyId(subject.id);
  const events = await listKeyEvents(database, id);
  if (events.length === 0 && !(await findKey(database, id))) {
    throw new OperatorError(`There is no key with the id ${id}, and the trail knows of none.`);
  }
  return events.map(describe);
}

/** The trail for people: a line for each entry. */
export function formatHistory(events: readonly KeyEventDescription[]): string {
  if (events.length === 0) return "Nothing is recorded: the trail began after the last change.";
  return formatTable(
    ["at", "key", "event", "by", "change"],
    events.map((event) => [
      ...[event.at, event.key_id, event.kind, `${event.command ?? "SQL"} (${event.database_user})`],
      formatChange(event),
    ]),
  );
}

/** Such as `tier pro → free`, or `name "ERP", tier pro`. */
function formatChange({ old: before, new: after }: KeyEventDescription): string {
  const names = Object.keys({ ...before, ...after });
  const parts = names.map((name) => {
    const values = [before, after].filter((side) => side !== null).map((side) => formatValue(side[name]));
    return values[0] === "none" && values.length === 1 ? "" : `${name} ${values.join(" → ")}`;
  });
  return parts.filter(Boolean).join(", ");
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return value.join("+");
  // Names are anybody's text: quoted, none can pass for another column or line.
  return typeof value === "string" && !/^[\w:.…-]+$/.test(value) ? JSON.stringify(value) : String(value);
}

function describe(event: KeyEvent): KeyEventDescription {
  return {
    id: Number(event.id),
    at: event.at.toISOString(),
    key_id: event.keyId,
    organization_id: event.organizationId,
    organization: event.organization,
    kind: event.kind,
    command: event.command,
    database_user: event.databaseUser,
    old: event.old as KeyEventValues | null,
    new: event.new as KeyEventValues | null,
  };
}
