import { type ConsoleFindingsQuery, graphql } from "../../../generated/console.js";
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
import { AcknowledgeFinding } from "./acknowledge-finding.js";

const OPERATION = graphql(`
  query ConsoleFindings($after: String) {
    emissions {
      anomalies {
        evaluatedSeries
        from
        to
        notEvaluated { name }
        findings(first: 25, after: $after) {
          nodes { id findingId type severity month series { facility scope category } explanation acknowledged }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
    facilities(first: 100, includeArchived: true) { nodes { code name } }
  }
`);

type Anomalies = NonNullable<ConsoleFindingsQuery["emissions"]>["anomalies"];
type Finding = Anomalies["findings"]["nodes"][number];

const TYPES: Readonly<Record<Finding["type"], string>> = {
  Z_SCORE: "Unusual amount",
  GAP: "Missing records",
  YOY: "Change from a year before",
  NEW_SOURCE: "New source",
};

/** What is unusual in the monthly emissions of the facilities by scope, latest month first, with the way to its records. */
export function Findings() {
  const { after = null } = useAddress().query;
  const answer = useQuery(OPERATION, { after });
  return (
    <Dialogs onClosed={answer.reload}>
      <ShownData answer={answer} as="table">
        {({ emissions, facilities }) =>
          emissions && (
            <>
              <Evaluated {...emissions.anomalies} />
              <FindingList
                findings={emissions.anomalies.findings}
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

interface FindingListProps {
  readonly findings: Anomalies["findings"];
  /** Names of facilities by their codes. */
  readonly names: ReadonlyMap<string, string>;
}

function FindingList({ findings, names }: FindingListProps) {
  const mayWrite = useScope("write:emissions");
  return (
    <List<Finding>
      caption="Findings"
      {...findings}
      columns={[
        { title: "Month", cell: ({ month }) => monthOf(month) },
        {
          title: "Severity",
          cell: ({ severity }) => (
            <span class={`severity ${severity.toLowerCase()}`}>{nameOf(severity)}</span>
          ),
        },
        { title: "Finding", wraps: true, cell: ({ type }) => TYPES[type] },
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
          cell: (finding) => <a href={recordsOf(finding)}>{nameRecords(finding)}</a>,
        },
        {
          title: "State",
          isActions: true,
          cell: (finding) =>
            finding.acknowledged ? (
              "Acknowledged"
            ) : mayWrite ? (
              <DialogButton
                label="Acknowledge"
                look="quiet"
                opens={<AcknowledgeFinding finding={finding} />}
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

/** What the link shows. Records without a facility cannot be asked for alone. */
const nameRecords = ({ type, series: { facility } }: Finding): string =>
  `Show ${type === "GAP" ? "the year before" : "records"}${facility === null ? " of all facilities" : ""}`;

/** Where the records of a finding's month and series are listed; for a gap, those of the year before it. */
function recordsOf({ type, month, series: { facility, scope, category } }: Finding): string {
  const yearBefore = `${Number(month.slice(0, 4)) - 1}${month.slice(4)}`;
  const days = daysOfMonths(type === "GAP" ? yearBefore : month, month);
  const filters = { ...(facility && { facility }), ...(scope && { scope }), ...(category && { category }) };
  return `/console/records?${new URLSearchParams({ ...days, ...filters })}`;
}
