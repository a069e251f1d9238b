import { AUDIT_SUBJECTS, subjectsOf } from "../../../../domain/audit-actions.js";
import { capitalize } from "../../../../domain/texts/capitalize.js";
import { graphql } from "../../../../generated/console.js";
import { useQuery } from "../../../gateway/use-query.js";
import { useAddress } from "../../../parts/address.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { Form } from "../../../parts/forms/form.js";
import { textOf } from "../../../parts/forms/values.js";

const READ_ACTORS = graphql(`
  query ConsoleAuditActors {
    members(first: 100) {
      nodes { user { id name } }
    }
    serviceAccounts(first: 100) {
      nodes { id name }
    }
  }
`);

const NAMES = ["actor", "targetType", "since", "until"];

/** Plural names of the subjects, in alphabetical order. */
const SUBJECTS = Object.fromEntries(
  AUDIT_SUBJECTS.map((subject): [string, string] => [subject, capitalize(subjectsOf(subject))]).toSorted(
    ([, one], [, other]) => one.localeCompare(other),
  ),
);

/** Filters of the audit trail, kept in the address. */
export function AuditFilters() {
  const { query, change } = useAddress();
  const { data } = useQuery(READ_ACTORS, {});
  const { actor = "" } = query;
  const found = [
    ...(data?.members?.nodes ?? []).map(({ user }) => user),
    ...(data?.serviceAccounts?.nodes ?? []),
  ];
  const actors = Object.fromEntries(found.map(({ id, name }) => [id, name]));
  const choose = async (values: FormData) =>
    change({ after: "", ...Object.fromEntries(NAMES.map((name) => [name, textOf(values, name).trim()])) });
  return (
    <div class="inline">
      <Form key={JSON.stringify([query, data])} submit="Filter" onSubmit={choose}>
        <Select
          label="Person or service account"
          name="actor"
          // A link may refer to someone who has left.
          options={actor in actors || actor === "" ? actors : { ...actors, [actor]: "A former member" }}
          value={actor}
          none="Everyone"
        />
        <Select
          label="Subject"
          name="targetType"
          options={SUBJECTS}
          value={query["targetType"] ?? ""}
          none="Everything"
        />
        <Field label="From" name="since" type="date" value={query["since"] ?? ""} />
        <Field label="To" name="until" type="date" value={query["until"] ?? ""} />
      </Form>
    </div>
  );
}
