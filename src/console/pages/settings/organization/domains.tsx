import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Button } from "../../../parts/button.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { DialogButton, useDialog } from "../../../parts/forms/dialogs.js";
import { Copyable } from "../../../parts/forms/secret-dialog.js";
import { textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { Moment } from "../../../parts/moment.js";
import { useAttempt } from "../../../parts/states.js";
import { Status } from "../../../parts/status.js";
import { type Column, Table } from "../../../parts/table.js";
import type { Domain } from "./read-member-sign-in.js";

graphql(`
  fragment ConsoleDomain on Domain { id domain record { name type value } status provenAt checkedAt }
`);
const ADD = graphql(`
  mutation ConsoleAddDomain($domain: String!) { addDomain(input: { domain: $domain }) { domain { ...ConsoleDomain } } }
`);
const CHECK = graphql(`
  mutation ConsoleCheckDomain($domain: String!) { checkDomain(input: { domain: $domain }) { domain { id status } } }
`);
const REMOVE = graphql(`
  mutation ConsoleRemoveDomain($domain: String!) { removeDomain(input: { domain: $domain }) { domain { id } } }
`);

interface DomainProps {
  readonly domain: Domain;
}

const COLUMNS: readonly Column<Domain>[] = [
  { title: "Domain", wraps: true, cell: ({ domain }) => <bdi>{domain}</bdi> },
  { title: "Status", cell: ({ status }) => <Status of={status} /> },
  { title: "Proven", cell: ({ provenAt }) => <Moment at={provenAt} /> },
  { title: "Last checked", cell: ({ checkedAt }) => <Moment at={checkedAt} /> },
];

/** The organization's domains, with the DNS records that prove ownership. */
export const Domains = ({ domains }: { domains: readonly Domain[] }) => (
  <section class="card">
    <h2>Domains</h2>
    <div class="row">
      <p>
        Prove that your organization owns the domain of its e-mail addresses with a DNS record. Single sign-on
        requires this.
      </p>
      <DialogButton label="Add domain" opens={<AddDomain />} />
    </div>
    <Table caption="Domains" rows={domains} columns={COLUMNS} actions={actionsFor}>
      No domains yet.
    </Table>
  </section>
);

const actionsFor = (domain: Domain) => (
  <>
    <DialogButton label="Show record" look="quiet" opens={<ShowRecord domain={domain} />} />
    <DialogButton label="Remove" look="quiet" opens={<RemoveDomain domain={domain} />} />
  </>
);

function AddDomain() {
  const add = async (values: FormData) => {
    const { addDomain } = await run(ADD, { domain: textOf(values, "domain").trim() });
    return addDomain && <ShowRecord domain={addDomain.domain} />;
  };
  return (
    <Confirm title="Add domain" action="Add" onConfirm={add}>
      <Field
        label="Domain"
        name="domain"
        hint="The part after the @ of your addresses, e.g. example.com. Add subdomains separately"
        required
      />
    </Confirm>
  );
}

/** The DNS record that proves ownership of a domain, with a button that checks for it. */
function ShowRecord({ domain: { domain, record } }: DomainProps) {
  const { close, finish } = useDialog();
  const { attempt, complaint } = useAttempt();
  const check = () =>
    attempt(async () => {
      const { checkDomain } = await run(CHECK, { domain });
      if (checkDomain?.domain.status !== "PROVEN")
        throw new Error(
          "Record not found. It can take hours for a new record to become visible. Try again later.",
        );
      await finish();
      showMessage({ text: `${domain} proven.` });
    });
  return (
    <Dialog title={`Prove ${domain}`} onClose={() => close()}>
      <p>
        Add this {record.type} record where you manage your domain's DNS. Don't remove it: we check for it
        once a day.
      </p>
      <Copyable label="Name" value={record.name} />
      <Copyable label="Value" value={record.value} />
      {complaint}
      <div class="buttons">
        <Button label="Close" look="secondary outline" onClick={() => close()} />
        <Button label="Check now" look="primary" onClick={check} />
      </div>
    </Dialog>
  );
}

const RemoveDomain = ({ domain: { domain } }: DomainProps) => (
  <Confirm
    title="Remove domain?"
    action="Remove"
    onConfirm={() => run(REMOVE, { domain })}
    successMessage={`${domain} removed.`}
  >
    <p>
      Single sign-on will stop working for addresses at <bdi>{domain}</bdi>.
    </p>
  </Confirm>
);
