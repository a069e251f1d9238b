import { DEFAULT_THRESHOLDS } from "../../../domain/foresight/find-anomalies.js";
import { countOf } from "../../../domain/texts/count-of.js";
import { type ConsoleAnomaliesQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { daysOfMonths } from "../../parts/days.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Day, longMonthOf } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Exact } from "../../parts/numbers.js";
import { ShowAll, useShowsAll } from "../../parts/paging.js";
import { linkToRecords } from "../../parts/record-links.js";
import { Loaded } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { AcknowledgeAnomaly, WithdrawAcknowledgement } from "./acknowledge-anomaly.js";
import "./anomalies.css";

const OPERATION = graphql(`
  query ConsoleAnomalies($after: String, $isAcknowledged: Boolean) {
    emissions {
      anomalies {
        evaluatedSeries
        from
        to
        notEvaluated { name }
        items(first: 25, after: $after, isAcknowledged: $isAcknowledged, orderBy: SEVERITY) {
          nodes {
            id anomalyId type severity month series { facility scope category } explanation
            value expected changePercent robustZ zScore periods
            acknowledgement { note acknowledgedByName acknowledgedAt }
          }
          pageInfo { hasNextPage endCursor }
        }
        toReview: items(first: 1, isAcknowledged: false) { totalCount }
      }
    }
    facilities(first: 100, includeArchived: true) { nodes { code name } }
  }
`);

type Anomalies = NonNullable<ConsoleAnomaliesQuery["emissions"]>["anomalies"];
type Anomaly = Anomalies["items"]["nodes"][number];

/** Unusual months of each facility and scope, most severe first. Shows those to review, or all. */
export function RecordAnomalies() {
  const { after = null } = useAddress().query;
  const showsAll = useShowsAll();
  const answer = useQuery(OPERATION, { after, isAcknowledged: showsAll ? null : false });
  return (
    <Dialogs onClosed={answer.reload}>
      <Loaded answer={answer} skeleton="table">
        {({ emissions, facilities }) =>
          emissions && (
            <>
              <ReviewSummary {...emissions.anomalies} />
              <ShowAll label="Show acknowledged" />
              <AnomalyList
                anomalies={emissions.anomalies.items}
                names={new Map(facilities?.nodes.map(({ code, name }) => [code, name]))}
                showsAll={showsAll}
                reload={answer.reload}
              />
            </>
          )
        }
      </Loaded>
    </Dialogs>
  );
}

function ReviewSummary({ toReview: { totalCount }, from, to, notEvaluated }: Anomalies) {
  return (
    <p>
      <strong>{countOf(totalCount, "unusual month")} to review.</strong>{" "}
      <span class="quiet">
        We checked every facility and scope, {longMonthOf(from)} to {longMonthOf(to)}.
        {notEvaluated.length > 0 && " We skipped those with too few months."}
      </span>
    </p>
  );
}

interface AnomalyListProps {
  readonly anomalies: Anomalies["items"];
  /** Names of up to 100 facilities by code. */
  readonly names: ReadonlyMap<string, string>;
  readonly showsAll: boolean;
  readonly reload: () => void;
}

function AnomalyList({ anomalies, names, showsAll, reload }: AnomalyListProps) {
  const mayWrite = useScope("write:emissions");
  const seriesOf = ({ series: { facility, scope } }: Anomaly) => {
    const place = facility === null ? "Records without a facility" : (names.get(facility) ?? facility);
    return scope ? `${place}, ${nameOf(scope)}` : place;
  };
  const about = (anomaly: Anomaly) => ({
    anomalyId: anomaly.anomalyId,
    month: longMonthOf(anomaly.month),
    series: seriesOf(anomaly),
    sentence: sentenceOf(anomaly),
    reload,
  });
  const acknowledgedBy: Column<Anomaly> = {
    title: "Acknowledged",
    wraps: true,
    cell: ({ acknowledgement }) =>
      acknowledgement ? (
        <div>
          By {acknowledgement.acknowledgedByName ?? "a former member"} on{" "}
          <Day on={acknowledgement.acknowledgedAt.slice(0, 10)} />
          {acknowledgement.note && <q class="lines">{acknowledgement.note}</q>}
        </div>
      ) : (
        "To review"
      ),
  };
  return (
    <List<Anomaly>
      caption="Unusual months"
      {...anomalies}
      columns={[
        { title: "Unusual month", wraps: true, cell: (anomaly) => <strong>{sentenceOf(anomaly)}</strong> },
        {
          title: "Facility and scope",
          wraps: true,
          cell: (anomaly) => (
            <div class="unusual">
              <bdi>{seriesOf(anomaly)}</bdi>
              <Computation anomaly={anomaly} />
            </div>
          ),
        },
        {
          title: "Severity",
          cell: ({ severity }) => (
            <span class={`severity ${severity.toLowerCase()}`}>{nameOf(severity)}</span>
          ),
        },
        {
          title: "Records",
          wraps: true,
          cell: (anomaly) => <a href={linkToAnomaly(anomaly)}>{nameRecords(anomaly)}</a>,
        },
        ...(showsAll ? [acknowledgedBy] : []),
      ]}
      actions={
        mayWrite &&
        ((anomaly) =>
          anomaly.acknowledgement ? (
            <DialogButton
              label="Withdraw"
              look="quiet"
              opens={<WithdrawAcknowledgement {...about(anomaly)} />}
            />
          ) : (
            <DialogButton
              label="Acknowledge"
              look="quiet"
              opens={<AcknowledgeAnomaly {...about(anomaly)} />}
            />
          ))
      }
    >
      No unusual months{showsAll ? "" : " to review"}.
    </List>
  );
}

/** Describes an anomaly with its month. Keeps each amount on one line with its unit. */
function sentenceOf({ type, month, explanation }: Anomaly): string {
  const words = explanation.replace(/(?<=\d) t\b/g, "\u00a0t");
  return type === "GAP" ? words : `${longMonthOf(month)}: ${words}`;
}

/** The figures of an anomaly, and the rule that found it. */
function Computation({ anomaly }: { anomaly: Anomaly }) {
  const { type, value, expected, changePercent, robustZ, zScore, periods } = anomaly;
  const [amount, other] = [value, expected].map((tonnes) => <Exact value={tonnes} unit="tCO₂e" />);
  const { zThreshold, yoyThreshold } = DEFAULT_THRESHOLDS;
  return (
    <details>
      <summary>How this was computed</summary>
      {type === "GAP" ? (
        <p>
          {periods === 1 ? "1 expected period has" : `${periods} expected periods have`} no record. The usual
          interval between months with records defines what is expected.
        </p>
      ) : type === "Z_SCORE" ? (
        <p>
          {amount}; the median is {other}. The robust score is <Exact value={robustZ} />: 0.6745 × distance
          from the median ÷ median absolute deviation. Scores beyond ±{zThreshold} are unusual (Iglewicz and
          Hoaglin, 1993). The ordinary z-score is <Exact value={zScore} />.
        </p>
      ) : (
        <p>
          {amount}, compared with {other} a year earlier
          {changePercent !== null && (
            <>
              : <Exact value={changePercent} unit="%" isChange />
            </>
          )}
          . Changes of {100 * yoyThreshold} % or more, up or down, are unusual.
        </p>
      )}
    </details>
  );
}

/** Returns the link's label. No filter selects records without a facility, so their link shows all facilities. */
const nameRecords = ({ type, series: { facility } }: Anomaly): string =>
  `Show ${type === "GAP" ? "the year before" : "records"}${facility === null ? " of all facilities" : ""}`;

/** Returns the link to the records of an anomaly's month and series. For a gap, adds the 12 months before it. */
function linkToAnomaly({ type, month, series: { facility, scope, category } }: Anomaly): string {
  const yearBefore = `${Number(month.slice(0, 4)) - 1}${month.slice(4)}`;
  const days = daysOfMonths(type === "GAP" ? yearBefore : month, month);
  return linkToRecords(days, { facility, scope, category });
}
