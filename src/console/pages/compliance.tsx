import { type ConsoleComplianceQuery, graphql } from "../../generated/console.js";
import { useQuery } from "../gateway/use-query.js";
import { useAddress } from "../parts/address.js";
import { daysAhead } from "../parts/deadline.js";
import { Moment } from "../parts/moment.js";
import { nameOf } from "../parts/names.js";
import { Page } from "../parts/shell.js";
import { Empty, Shown } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { DeadlineYear } from "./compliance/year.js";

const OPERATION = graphql(`
  query ConsoleCompliance {
    compliance {
      frameworks {
        framework
        status
        lastUpdated
        upcomingDeadlines(first: 1) { dueDate daysRemaining title }
      }
    }
  }
`);

type FrameworkState = NonNullable<ConsoleComplianceQuery["compliance"]>["frameworks"][number];

/** The frameworks with their status, and the deadlines of a year. */
export function Compliance() {
  const answer = useQuery(OPERATION, {});
  const { query } = useAddress();
  return (
    <Page title="Compliance">
      <section>
        <h2>Frameworks</h2>
        <Shown answer={answer} as="table">
          {({ compliance }) => <Frameworks states={compliance?.frameworks ?? []} />}
        </Shown>
      </section>
      <DeadlineYear chosen={query["year"]} />
    </Page>
  );
}

function Frameworks({ states }: { states: readonly FrameworkState[] }) {
  if (states.length === 0) {
    return (
      <Empty>
        The organization is registered for no framework. A bundle registers it:{" "}
        <code>gateway load --help</code>
      </Empty>
    );
  }
  return (
    <Table
      caption="Frameworks"
      rows={states}
      keyOf={({ framework }) => framework}
      columns={[
        { title: "Framework", cell: ({ framework }) => nameOf(framework) },
        { title: "Status", cell: ({ status }) => <Status status={status} /> },
        { title: "Next deadline", cell: ({ upcomingDeadlines: [next] }) => next?.dueDate ?? "–" },
        {
          title: "In",
          cell: ({ upcomingDeadlines: [next] }) => (next ? daysAhead(next.daysRemaining) : "–"),
        },
        { title: "Updated", cell: ({ lastUpdated }) => <Moment at={lastUpdated} /> },
      ]}
    />
  );
}

const SIGNS: Readonly<Record<FrameworkState["status"], string>> = {
  COMPLIANT: "✓",
  ACTION_REQUIRED: "!",
  PENDING_REVIEW: "…",
  NOT_APPLICABLE: "–",
};

function Status({ status }: Pick<FrameworkState, "status">) {
  return (
    <span class={`status ${status.toLowerCase()}`}>
      <span aria-hidden="true">{SIGNS[status]}</span> {nameOf(status)}
    </span>
  );
}
