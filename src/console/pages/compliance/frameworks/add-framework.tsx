import type { Framework } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { readStatus, SET_STATUS, StatusFields } from "./status-fields.js";

/** Registers the organization for a framework by its status. */
export function AddFramework({ offered }: { offered: readonly Framework[] }) {
  const add = (values: FormData) => {
    const framework = textOf(values, "framework") as Framework;
    return run(SET_STATUS, { framework, version: 0, ...readStatus(values) });
  };
  return (
    <Confirm title="Add a framework" action="Add" onConfirm={add}>
      <Select label="Framework" name="framework" options={offered} />
      <StatusFields />
    </Confirm>
  );
}
