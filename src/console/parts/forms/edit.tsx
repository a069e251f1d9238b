import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { GatewayFailure, isOvertaken, type Problem } from "../../gateway/failure.js";
import { Details } from "../details.js";
import { Dialog } from "./dialog.js";
import { useDialog } from "./dialogs.js";
import { Form } from "./form.js";

interface EditProps<Row> {
  readonly title: string;
  /** Label of the button. */
  readonly action?: string;
  /** The row to edit, as listed. */
  readonly row: Row;
  /** Reads the current row. */
  readonly read: () => Promise<Row | null | undefined>;
  /** Receives the listed row with the version to change; throws CONFLICT if that is no longer the current one. */
  readonly save: (values: FormData, row: Row) => Promise<unknown>;
  readonly check?: (values: FormData) => readonly Problem[];
  /** Returns the values of a row by the labels of the fields. */
  readonly describe: (row: Row) => Readonly<Record<string, ComponentChildren>>;
  /** The fields, with the row's values. */
  readonly children: (row: Row) => ComponentChildren;
}

/**
 * A form that edits a row. If somebody else has changed the row since, it says so and shows the current values. It
 * keeps the typed values, and the next attempt saves them over the others.
 */
export function Edit<Row extends { readonly version: number }>(props: EditProps<Row>) {
  const { title, action = "Save", row, read, save, check, describe, children } = props;
  const { close } = useDialog();
  const [present, setPresent] = useState(row);
  const send = async (values: FormData) => {
    try {
      await save(values, { ...row, version: present.version });
    } catch (failure) {
      const now = isOvertaken(failure) ? await read() : null;
      if (!now) throw failure;
      setPresent(now);
      const told = `Somebody else has changed this meanwhile. Nothing was saved. ${action} again to put your changes over theirs.`;
      throw new GatewayFailure("CONFLICT", told);
    }
    close();
  };
  return (
    <Dialog title={title} onClose={() => close()}>
      <Form submit={action} onSubmit={send} onCancel={() => close()} check={check}>
        {children(row)}
        {present !== row && (
          <section class="card present" aria-label="What it is now">
            <h3>What it is now</h3>
            <Details items={describe(present)} />
          </section>
        )}
      </Form>
    </Dialog>
  );
}
