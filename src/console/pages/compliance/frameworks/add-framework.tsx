import type { Framework } from "../../../../generated/console.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { FRAMEWORK_NAMES } from "../../../parts/frameworks.js";
import { StatusFields, setStatus } from "./status-fields.js";

/** Registers the organization for a framework. */
export function AddFramework({ offered }: { offered: readonly Framework[] }) {
  const add = (values: FormData) => setStatus(textOf(values, "framework") as Framework, 0, values);
  return (
    <Confirm title="Add a framework" action="Add" onConfirm={add}>
      <Select
        label="Framework"
        name="framework"
        options={offered}
        labelOf={(framework) => FRAMEWORK_NAMES[framework]}
      />
      <StatusFields />
    </Confirm>
  );
}
