import { type ConsoleMonitoringQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Figure } from "../../parts/charts/figure.js";
import { Details } from "../../parts/details.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Exact } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";

const OPERATION = graphql(`
  query ConsoleMonitoring($days: Int!) {
    monitoring {
      health { database redis outbox { waiting failed heldBack dueSince } feeds { exchange lastReportedAt } lastErrorAt }
      byTier { tier requests refused }
      topConsumers { organizationId slug requests refused }
      dailyCounts(days: $days) { date organizations users activeUsers apiKeys records requests refused }
      versions { gateway node database migration }
      auditTrails { heads entries lastVerifiedAt }
      jobs { name startedAt finishedAt failedAt }
    }
  }
`);

type Monitored = NonNullable<ConsoleMonitoringQuery["monitoring"]>;
type Day = Monitored["dailyCounts"][number];

const VARIABLES = { days: 90 };

/** The platform's health and its growth in the last 90 days. */
export function Monitoring() {
  const answer = useQuery(OPERATION, VARIABLES);
  return (
    <LoadedField answer={answer} skeleton="figure" field="monitoring">
      {(monitoring) => <MonitoringDetails {...monitoring} />}
    </LoadedField>
  );
}

function MonitoringDetails({
  health,
  byTier,
  topConsumers,
  dailyCounts,
  versions,
  auditTrails,
  jobs,
}: Monitored) {
  return (
    <>
      <Details
        items={{
          Database: nameOf(health.database),
          Redis: nameOf(health.redis),
          Deliveries: `${health.outbox.waiting} waiting; ${health.outbox.failed} failed and ${health.outbox.heldBack} skipped in the last 24 hours`,
          "Last failed request": <Moment at={health.lastErrorAt} />,
          "Audit trails": <Trails {...auditTrails} />,
          Gateway: versions.gateway,
          "Node.js": versions.node,
          PostgreSQL: versions.database,
          "Last migration": versions.migration,
        }}
      />
      <h2>Growth</h2>
      <Growth days={dailyCounts} />
      <h2>Last 24 hours</h2>
      {byTier.length === 0 ? (
        <p>No requests with API keys.</p>
      ) : (
        <>
          <Table
            caption="Requests with API keys by tier"
            rows={byTier}
            columns={[{ title: "Tier", cell: ({ tier }) => nameOf(tier) }, ...USAGE]}
          />
          <Table
            caption="Organizations with the most requests"
            rows={topConsumers}
            columns={[{ title: "Organization", cell: ({ slug }) => slug }, ...USAGE]}
          />
        </>
      )}
      <h2>Jobs and feeds</h2>
      <Table
        caption="Jobs"
        rows={jobs}
        columns={[
          { title: "Job", cell: ({ name }) => nameOf(name) },
          { title: "Started", cell: ({ startedAt }) => <Moment at={startedAt} /> },
          { title: "Succeeded", cell: ({ finishedAt }) => <Moment at={finishedAt} /> },
          { title: "Failed", cell: ({ failedAt }) => <Moment at={failedAt} /> },
        ]}
      />
      {health.feeds.length > 0 && (
        <Table
          caption="Exchanges that report prices"
          rows={health.feeds}
          columns={[
            { title: "Exchange", cell: ({ exchange }) => exchange },
            { title: "Last reported", cell: ({ lastReportedAt }) => <Moment at={lastReportedAt} /> },
          ]}
        />
      )}
    </>
  );
}

const USAGE: readonly Column<{ readonly requests: number; readonly refused: number }>[] = [
  { title: "Requests", isNumber: true, cell: ({ requests }) => <Exact value={requests} /> },
  { title: "Refused", isNumber: true, cell: ({ refused }) => <Exact value={refused} /> },
];

function Trails({ heads, entries, lastVerifiedAt }: Monitored["auditTrails"]) {
  return (
    <>
      {entries} entries in {heads} trails.{" "}
      {lastVerifiedAt ? (
        <>
          Last verified: <Moment at={lastVerifiedAt} />
        </>
      ) : (
        "Not verified yet."
      )}
    </>
  );
}

/** Charts whose lines have a similar magnitude. */
const CHARTS: readonly { title: string; unit: string; lines: readonly [string, keyof Day][] }[] = [
  {
    title: "Organizations and people",
    unit: "number",
    lines: [
      ["Organizations", "organizations"],
      ["People", "users"],
      ["Active people", "activeUsers"],
      ["API keys", "apiKeys"],
    ],
  },
  { title: "Emission records", unit: "number", lines: [["Records", "records"]] },
  {
    title: "Requests with API keys",
    unit: "a day",
    lines: [
      ["Admitted", "requests"],
      ["Refused", "refused"],
    ],
  },
];

function Growth({ days }: { days: readonly Day[] }) {
  const figures = CHARTS.map(({ lines, ...about }) => ({
    ...about,
    rowsAre: "Date",
    rows: days.map(({ date }) => date),
    series: lines.map(([name, field]) => ({
      name,
      values: days.map((day) => (day[field] as number | null | undefined) ?? null),
    })),
  }));
  return (
    <div class="cards">
      {figures.map((numbers) => (
        <Figure
          key={numbers.title}
          kind="lines"
          numbers={numbers}
          source={OPERATION.source}
          variables={VARIABLES}
        />
      ))}
    </div>
  );
}
