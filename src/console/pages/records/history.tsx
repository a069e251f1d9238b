import { type ConsoleRecordHistoryQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { Moment, writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { writeDecimal } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";

const READ_HISTORY = graphql(`
  query ConsoleRecordHistory($id: String!) {
    auditLog {
      entries(filter: { targetType: "emission_record", targetId: $id }, first: 25) {
        nodes { id occurredAt action actorType actorName changes }
      }
    }
  }
`);

type Entry = NonNullable<ConsoleRecordHistoryQuery["auditLog"]>["entries"]["nodes"][number];

/** The latest changes to a record, for users who may read the audit trail. */
export const RecordHistory = ({ id }: { id: string }) =>
  useScope("read:audit") ? <History id={id} /> : null;

function History({ id }: { id: string }) {
  const answer = useQuery(READ_HISTORY, { id });
  return (
    <section class="history">
      <h3>History</h3>
      <LoadedField answer={answer} skeleton="short" field="auditLog">
        {({ entries: { nodes } }) => (
          <ol>
            {nodes.map((entry) => (
              <li key={entry.id}>
                <Moment at={entry.occurredAt} /> {describe(entry)}
              </li>
            ))}
            {nodes.length === 0 && <li>Imported with other records and unchanged since.</li>}
          </ol>
        )}
      </LoadedField>
    </section>
  );
}

const ACTIONS: Readonly<Record<string, string>> = { created: "added it", deleted: "deleted it" };
const tonnes = (amount: string) => `${writeDecimal(amount)} tCO₂e`;
const asIs = (text: string) => text;

/** Columns that the history shows. Without a formatter, it omits a column's values, which are ids or JSON. */
const COLUMNS: Readonly<Record<string, readonly [label: string, write?: (value: string) => string]>> = {
  recorded_on: ["Date", writeDay],
  scope: ["Scope", (scope) => nameOf(scope.toUpperCase())],
  co2e_tonnes: ["Emissions", tonnes],
  market_based_tonnes: ["Market-based", tonnes],
  energy_kwh: ["Energy", (kwh) => `${writeDecimal(kwh)} kWh`],
  biogenic_co2_tonnes: ["Biogenic CO₂", (biogenic) => `${writeDecimal(biogenic)} t`],
  facility_id: ["Facility"],
  activity: ["Activity"],
  category: ["Category", nameOf],
  source: ["Source", asIs],
  note: ["Note", asIs],
};

/** Names for actors without one, by type. */
const ACTORS: Readonly<Record<string, string>> = {
  user: "A former user",
  service_account: "A former service account",
  sql: "Someone with direct access to the database",
};

/** Describes an entry: "Priya Shah changed Emissions: 1 tCO₂e → 2 tCO₂e". */
function describe({ action, actorType, actorName, changes }: Entry): string {
  const actor = actorName ?? ACTORS[actorType] ?? "The operator of the gateway";
  const done = ACTIONS[action.replace(/^.*\./, "")];
  if (done !== undefined) return `${actor} ${done}`;
  const parts = Object.entries(COLUMNS).flatMap(([column, [label, write]]) => {
    const change = changes?.[column] as { readonly from?: unknown; readonly to?: unknown } | undefined;
    if (change === undefined) return [];
    const format = (value: unknown) => (value == null ? "none" : write?.(String(value)));
    return write ? `${label}: ${format(change.from)} → ${format(change.to)}` : label;
  });
  return `${actor} changed ${parts.join("; ") || "it"}`;
}
