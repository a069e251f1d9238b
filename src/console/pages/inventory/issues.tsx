import {
  type ConsoleInventoryIssuesQuery,
  graphql,
  type IssueBasis,
  type RestatementReason,
} from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { download } from "../../parts/csv.js";
import { Checkboxes } from "../../parts/fields/checkboxes.js";
import { Field, TextArea } from "../../parts/fields/field.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { need, optionalsOf } from "../../parts/forms/values.js";
import { showMessage } from "../../parts/messages.js";
import { Moment, monthOf } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { LoadedField, useAttempt } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { RequestVerification } from "../verification/request-verification.js";
import { BaseYear } from "./base-year.js";
import { REASONS } from "./names.js";
import { useYear, YearBar } from "./year.js";

const READ = graphql(`
  query ConsoleInventoryIssues($year: Int!, $after: String) {
    inventoryIssues(year: $year, first: 20, after: $after) {
      nodes { year issue basis holdingsAsOf reasons note digest issuedAt }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const READ_STATEMENT = graphql(`
  query ConsoleInventoryStatement($year: Int!, $issue: Int!) {
    inventoryIssue(year: $year, issue: $issue) { statementText }
  }
`);

const ISSUE = graphql(`
  mutation ConsoleIssueInventory($input: IssueInventoryInput!) {
    issueInventory(input: $input) { issue { issue } }
  }
`);

/** An issue of an inventory. */
export type Issue = NonNullable<ConsoleInventoryIssuesQuery["inventoryIssues"]>["nodes"][number];

/** The issues of a year, and the state of the base year. */
export function Issues() {
  const year = useYear();
  const { after = null } = useAddress().query;
  const answer = useQuery(READ, { year, after });
  const mayIssue = useScope("request:verification");
  const { attempt, complaint } = useAttempt();
  const latest = answer.data?.inventoryIssues?.nodes[0]?.issue;
  const isIssued = latest !== undefined;
  const save = ({ issue }: Issue) =>
    attempt(async () => {
      const { inventoryIssue } = await run(READ_STATEMENT, { year, issue });
      if (inventoryIssue)
        download(
          `inventory-${year}-issue-${issue}.json`,
          new Blob([inventoryIssue.statementText], { type: "application/json" }),
        );
    });
  return (
    <Dialogs onClosed={answer.reload}>
      <YearBar year={year}>
        {mayIssue && answer.data && (
          <DialogButton
            label={isIssued ? `Restate ${year}` : `Issue ${year}`}
            look="primary"
            opens={<IssueInventory year={year} basis={isIssued ? "RESTATED" : "REPORTED"} />}
          />
        )}
      </YearBar>
      <p class="quiet">
        An issue is a frozen copy of the inventory with a SHA-256 digest. Later changes to records don't
        affect it.
      </p>
      {complaint}
      <LoadedField answer={answer} skeleton="short" field="inventoryIssues">
        {(issues) => (
          <List
            caption={`Issues of ${year}`}
            {...issues}
            columns={COLUMNS}
            actions={(issue) => (
              <>
                <Button label="Download" look="quiet" onClick={() => save(issue)} />
                {mayIssue && (
                  <DialogButton
                    label="Request verification"
                    look="quiet"
                    opens={<RequestVerification inventory={{ year, issue: issue.issue }} />}
                  />
                )}
              </>
            )}
          >
            {year} has not been issued yet.{" "}
            {mayIssue
              ? "Issue it once nothing is missing."
              : "Ask an admin of your organization to issue it."}
          </List>
        )}
      </LoadedField>
      <BaseYear key={latest} />
    </Dialogs>
  );
}

const COLUMNS: readonly Column<Issue>[] = [
  { title: "Issue", cell: ({ issue, basis }) => `${issue}, ${nameOf(basis).toLowerCase()}` },
  { title: "Issued", wraps: true, cell: ({ issuedAt }) => <Moment at={issuedAt} /> },
  {
    title: "Reasons",
    wraps: true,
    cell: ({ reasons, holdingsAsOf, note }) =>
      [
        ...reasons.map((reason) => REASONS[reason]),
        holdingsAsOf && `holdings of ${monthOf(holdingsAsOf)}`,
        note,
      ]
        .filter(Boolean)
        .join(", ") || "–",
  },
  { title: "SHA-256", wraps: true, cell: ({ digest }) => <code class="digest">{digest}</code> },
];

/** Issues the inventory of a year, or restates it and asks for the reasons. */
function IssueInventory({ year, basis }: { year: number; basis: IssueBasis }) {
  const isRestated = basis === "RESTATED";
  const issue = async (values: FormData) => {
    const reasons = values.getAll("reasons") as RestatementReason[];
    const { issueInventory } = await run(ISSUE, {
      input: { year, basis, ...(isRestated && { reasons }), ...optionalsOf(values, "holdingsAsOf", "note") },
    });
    if (issueInventory) showMessage({ text: `Issue ${issueInventory.issue.issue} of ${year} created.` });
  };
  return (
    <Confirm
      title={isRestated ? `Restate ${year}` : `Issue the inventory of ${year}`}
      action={isRestated ? "Restate" : "Issue"}
      onConfirm={issue}
      check={(values) =>
        need("reasons", !isRestated || values.getAll("reasons").length > 0, "Choose at least one reason.")
      }
    >
      {isRestated ? (
        <>
          <p>The new issue replaces the figures of the previous one. The previous issue is kept.</p>
          <Checkboxes
            label="Reasons"
            name="reasons"
            options={Object.keys(REASONS)}
            labelOf={(reason) => REASONS[reason as RestatementReason]}
            chosen={[]}
          />
          <Field
            label="Holdings as of"
            name="holdingsAsOf"
            type="month"
            hint="Applies one month's holdings to the whole year. Leave empty to use each month's own"
          />
        </>
      ) : (
        <p>You can't change or delete an issue. You can restate the year later.</p>
      )}
      <TextArea label="Note" name="note" hint="Optional. Appears in the document" />
    </Confirm>
  );
}
