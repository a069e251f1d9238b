import type { KeyEventSummary } from "../../actions/keys/key-history.js";
import type { KeySummary } from "../../actions/keys/key-summary.js";
import type { CreatedKey } from "../../actions/keys/new-key.js";
import { formatTable } from "../output/table.js";
import { printable } from "../output/terminal.js";

/** Describes the settings of a key: `Name ERP, tier pro, scopes read:market, expires never.` */
export function describeSettings({ name, tier, scopes, expiresAt }: CreatedKey | KeySummary): string {
  const expiry = expiresAt?.toISOString() ?? "never";
  return `Name ${printable(name)}, tier ${tier}, scopes ${scopes.join(", ")}, expires ${expiry}.`;
}

export function formatKeys(keys: readonly KeySummary[]): string {
  return formatTable(
    ["id", "key", "organization", "status", "tier", "expires", "replaced by", "scopes", "name"],
    keys.map((key) => [
      key.id,
      key.display,
      key.organization,
      key.status,
      key.tier,
      key.expiresAt?.toISOString() ?? "never",
      key.replacedBy ?? "-",
      key.scopes.join(","),
      key.name,
    ]),
  );
}

export function formatHistory(events: readonly KeyEventSummary[]): string {
  if (events.length === 0) return "No events: the last change was before the audit trail began.";
  return formatTable(
    ["at", "key", "event", "by", "change"],
    events.map((event) => [
      event.at.toISOString(),
      event.keyId,
      event.kind,
      `${event.command ?? "SQL"} (${event.databaseUser})`,
      formatChange(event),
    ]),
  );
}

/** Formats a change, such as `tier pro → free`, or `name "ERP", tier pro` for a new key. */
function formatChange({ old: before, new: after }: KeyEventSummary): string {
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
  // Names may be any text. Quotes keep them from looking like another column.
  return typeof value === "string" && !/^[\w:.…-]+$/.test(value) ? JSON.stringify(value) : String(value);
}
