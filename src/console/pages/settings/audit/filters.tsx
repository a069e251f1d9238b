import { useAddress } from "../../../parts/address.js";
import { Field } from "../../../parts/fields/field.js";
import { Form } from "../../../parts/forms/form.js";
import { textOf } from "../../../parts/forms/values.js";

const NAMES = ["action", "targetType", "since", "until"];

/** Filters of the audit trail, kept in the address. */
export function AuditFilters() {
  const { query, change } = useAddress();
  const choose = async (values: FormData) =>
    change({ after: "", ...Object.fromEntries(NAMES.map((name) => [name, textOf(values, name).trim()])) });
  return (
    <div class="inline">
      <Form key={JSON.stringify(query)} submit="Filter" onSubmit={choose}>
        <Field label="Action" name="action" value={query["action"] ?? ""} hint="Such as api_key.created" />
        <Field label="Target" name="targetType" value={query["targetType"] ?? ""} hint="Such as api_key" />
        <Field label="From" name="since" type="date" value={query["since"] ?? ""} />
        <Field label="To" name="until" type="date" value={query["until"] ?? ""} />
      </Form>
    </div>
  );
}
