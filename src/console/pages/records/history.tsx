import { type ConsoleRecordHistoryQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { Moment, writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { writeDecimal } from "../../parts/numbers.js";
import { Shown } from "../../parts/states.js";

const READ_HISTORY = graphql(`
  query ConsoleRecordHistory($id: String!) {
    auditLog {
      entries(filter: { targetType: "emission_record", targetId: $id }, first: 25) {
        nodes { id occurredAt action actorType actorName changes }
        pageInfo { hasNextPage }
      }
    }
  }
`);

type Entry = NonNullable<ConsoleRecordHistoryQuery["auditLog"]>["entries"]["nodes"][number];

/** The changes of a record in the audit trail, for users who may read it. */
export function RecordHistory({ id }: { id: string }) {
  return useScope("read:audit") ? <Changes id={id} /> : null;
}

function Changes({ id }: { id: string }) {
  const answer = useQuery(READ_HISTORY, { id });
  return (
    <section class="history">
      <h3>History</h3>
      <Shown answer={answer} as="short" of="auditLog">
        {({ entries: { nodes, pageInfo } }) => (
          <>
            <ol>
              {nodes.map((entry) => (
                <li key={entry.id}>
                  <p>
                    {nameActor(entry)} {describeAction(entry)}
                    {" · "}
                    <Moment at={entry.occurredAt} />
                  </p>
                  <ChangedParts changes={entry.changes} />
                </li>
              ))}
            </ol>
            {nodes.length === 0 && (
              <p class="quiet">It was added together with many others, and not changed since.</p>
            )}
            {pageInfo.hasNextPage && <p class="quiet">The audit trail has earlier changes.</p>}
          </>
        )}
      </Shown>
    </section>
  );
}

const nameActor = ({ actorName, actorType }: Entry) =>
  actorName ?? (actorType === "user" ? "A former user" : "The operator of the gateway");

const describeAction = ({ action, changes }: Entry): string => {
  if (action !== "emission_record.updated")
    return `${action.replace(/^.*\./, "").replace("created", "added")} it`;
  return listChanges(changes).length > 0 ? "changed" : "changed it";
};

const write = (text: unknown) => String(text);
const tonnes = (amount: unknown) => `${writeDecimal(String(amount))} tCO₂e`;

/** The columns that the history names, with their labels and the form of their values. */
const COLUMNS: Readonly<Record<string, readonly [label: string, format?: (value: unknown) => string]>> = {
  recorded_on: ["Day", (day) => writeDay(String(day))],
  scope: ["Scope", (scope) => nameOf(String(scope).toUpperCase())],
  co2e_tonnes: ["Emissions", tonnes],
  market_based_tonnes: ["Market-based", tonnes],
  // The trail has an id and JSON, which say nothing to readers.
  facility_id: ["Facility"],
  activity: ["Activity"],
  category: ["Category", (category) => nameOf(String(category))],
  reference: ["Reference", write],
  source: ["Source", write],
  note: ["Note", write],
};

/** Lists the columns that an entry changed, with their values before and after. */
const listChanges = (changes: Entry["changes"]) =>
  Object.entries((changes ?? {}) as Record<string, { from?: unknown; to?: unknown } | null>).flatMap(
    ([column, change]) => {
      const [label, format] = COLUMNS[column] ?? [];
      if (label === undefined || change === null || typeof change !== "object" || !("to" in change))
        return [];
      return [{ label, format, ...change }];
    },
  );

function ChangedParts({ changes }: Pick<Entry, "changes">) {
  const parts = listChanges(changes);
  if (parts.length === 0) return null;
  return (
    <ul>
      {parts.map(({ label, format, from, to }) => (
        <li key={label}>
          {label}
          {format && `: ${from == null ? "empty" : format(from)} → ${to == null ? "empty" : format(to)}`}
        </li>
      ))}
    </ul>
  );
}
