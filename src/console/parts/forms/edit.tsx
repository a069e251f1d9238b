import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { GatewayFailure, isVersionConflict, type Problem } from "../../gateway/failure.js";
import { Details } from "../details.js";
import type { Message } from "../messages.js";
import { Dialog } from "./dialog.js";
import { useDialog } from "./dialogs.js";
import { Form } from "./form.js";

interface EditProps<Row, Result> {
  readonly title: string;
  /** Label of the button. */
  readonly action?: string;
  /** The row to edit, as listed. */
  readonly row: Row;
  /** Reads the current row. */
  readonly read: () => Promise<Row | null | undefined>;
  /**
   * Called with the form's values, the listed row with the version to overwrite, and the current row as of that
   * version. Throws CONFLICT if that version is outdated.
   */
  readonly save: (values: FormData, row: Row, current: Row) => Promise<Result>;
  /** Returns the message to show after saving. */
  readonly successMessage?: (result: Result) => Message | null | undefined;
  readonly check?: (values: FormData) => readonly Problem[];
  /** Returns the values of a row by field label. */
  readonly describe: (row: Row) => Readonly<Record<string, ComponentChildren>>;
  /** The fields, with the row's values. */
  readonly children: (row: Row) => ComponentChildren;
}

/**
 * A form that edits a row. If someone else has changed the row in the meantime, says so and shows the current values.
 * Keeps the typed values, and overwrites the current ones at the next attempt.
 */
export function Edit<Row extends { readonly version: number }, Result = unknown>(
  props: EditProps<Row, Result>,
) {
  const { title, action = "Save", row, read, save, successMessage, check, describe, children } = props;
  const { close, finish, report } = useDialog();
  const [current, setCurrent] = useState(row);
  const send = async (values: FormData) => {
    let saved: Result;
    try {
      saved = await save(values, { ...row, version: current.version }, current);
    } catch (failure) {
      const now = isVersionConflict(failure) ? await read() : null;
      if (!now) throw failure;
      setCurrent(now);
      const message = `Someone else has changed this in the meantime. Nothing was saved. Press ${action} again to overwrite their changes.`;
      throw new GatewayFailure("CONFLICT", message);
    }
    await finish();
    const message = successMessage?.(saved);
    if (message) report(message);
  };
  return (
    <Dialog title={title} onClose={close}>
      <Form submit={action} onSubmit={send} onCancel={close} check={check}>
        {children(row)}
        {current !== row && (
          <section class="card present" aria-label="Current values">
            <h3>Current values</h3>
            <Details items={describe(current)} />
          </section>
        )}
      </Form>
    </Dialog>
  );
}
