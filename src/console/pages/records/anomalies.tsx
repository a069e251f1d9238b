import { type ConsoleAnomaliesQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { daysOfMonths } from "../../parts/days.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { monthOf } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Exact } from "../../parts/numbers.js";
import { ShownData } from "../../parts/states.js";
import { List } from "../../parts/table.js";
import { AcknowledgeAnomaly } from "./acknowledge-anomaly.js";

const OPERATION = graphql(`
  query ConsoleAnomalies($after: String) {
    emissions {
      anomalies {
        evaluatedSeries
        from
        to
        notEvaluated { name }
        items(first: 25, after: $after) {
          nodes { id anomalyId type severity month series { facility scope category } explanation isAcknowledged }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
    facilities(first: 100, includeArchived: true) { nodes { code name } }
  }
`);

type Anomalies = NonNullable<ConsoleAnomaliesQuery["emissions"]>["anomalies"];
type Anomaly = Anomalies["items"]["nodes"][number];

const TYPES: Readonly<Record<Anomaly["type"], string>> = {
  Z_SCORE: "Unusual amount",
  GAP: "Missing records",
  YOY: "Change from a year before",
  NEW_SOURCE: "New source",
};

/** Anomalies in the monthly emissions of each facility and scope, latest month first, with links to their records. */
export function RecordAnomalies() {
  const { after = null } = useAddress().query;
  const answer = useQuery(OPERATION, { after });
  return (
    <Dialogs onClosed={answer.reload}>
      <ShownData answer={answer} as="table">
        {({ emissions, facilities }) =>
          emissions && (
            <>
              <Evaluated {...emissions.anomalies} />
              <AnomalyList
                anomalies={emissions.anomalies.items}
                names={new Map(facilities?.nodes.map(({ code, name }) => [code, name]))}
              />
            </>
          )
        }
      </ShownData>
    </Dialogs>
  );
}

function Evaluated({ evaluatedSeries, from, to, notEvaluated }: Anomalies) {
  return (
    <p class="quiet">
      The emissions of each facility and scope were looked at from {monthOf(from)} to {monthOf(to)}:{" "}
      <Exact value={evaluatedSeries} /> series.
      {notEvaluated.length > 0 && " Series with too few months were left out."}
    </p>
  );
}

interface AnomalyListProps {
  readonly anomalies: Anomalies["items"];
  /** Names of facilities by their codes. */
  readonly names: ReadonlyMap<string, string>;
}

function AnomalyList({ anomalies, names }: AnomalyListProps) {
  const mayWrite = useScope("write:emissions");
  return (
    <List<Anomaly>
      caption="Anomalies"
      {...anomalies}
      columns={[
        { title: "Month", cell: ({ month }) => monthOf(month) },
        {
          title: "Severity",
          cell: ({ severity }) => (
            <span class={`severity ${severity.toLowerCase()}`}>{nameOf(severity)}</span>
          ),
        },
        { title: "Anomaly", wraps: true, cell: ({ type }) => TYPES[type] },
        {
          title: "Where",
          wraps: true,
          cell: ({ series: { facility, scope } }) => (
            <span>
              <bdi>{facility === null ? "Without a facility" : (names.get(facility) ?? facility)}</bdi>
              {scope && `, ${nameOf(scope)}`}
            </span>
          ),
        },
        { title: "Explanation", wraps: true, cell: ({ explanation }) => explanation },
        {
          title: "Records",
          wraps: true,
          cell: (anomaly) => <a href={recordsOf(anomaly)}>{nameRecords(anomaly)}</a>,
        },
        {
          title: "State",
          isActions: true,
          cell: (anomaly) =>
            anomaly.isAcknowledged ? (
              "Acknowledged"
            ) : mayWrite ? (
              <DialogButton
                label="Acknowledge"
                look="quiet"
                opens={<AcknowledgeAnomaly anomaly={anomaly} />}
              />
            ) : (
              "New"
            ),
        },
      ]}
    >
      Nothing unusual was found.
    </List>
  );
}

/** Returns the text of the link. No filter selects the records without a facility. */
const nameRecords = ({ type, series: { facility } }: Anomaly): string =>
  `Show ${type === "GAP" ? "the year before" : "records"}${facility === null ? " of all facilities" : ""}`;

/** Returns the link to the records of an anomaly's month and series; for a gap, to those of the year before it. */
function recordsOf({ type, month, series: { facility, scope, category } }: Anomaly): string {
  const yearBefore = `${Number(month.slice(0, 4)) - 1}${month.slice(4)}`;
  const days = daysOfMonths(type === "GAP" ? yearBefore : month, month);
  const filters = { ...(facility && { facility }), ...(scope && { scope }), ...(category && { category }) };
  return `/console/records?${new URLSearchParams({ ...days, ...filters })}`;
}
