import { useAddress } from "../address.js";
import { Button } from "../button.js";
import type { Days } from "../days.js";
import { Field } from "../fields/field.js";
import { Form } from "../forms/form.js";
import { textOf } from "../forms/values.js";

/** A range of days, including the first and last; null for the last 12 months. */
export type Range = Days | null;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the range in the page's address, which users can share. */
export function useRange(): Range {
  const { from = "", to = "" } = useAddress().query;
  return DATE.test(from) && DATE.test(to) ? { from, to } : null;
}

/** The form that sets the range in the address. `shown` is the range of the page's data. */
export function RangeForm({ shown }: { shown: Range }) {
  const { change } = useAddress();
  const choose = async (values: FormData) =>
    change({ from: textOf(values, "from"), to: textOf(values, "to"), after: "" });
  return (
    <div class="inline">
      <Form key={`${shown?.from} ${shown?.to}`} submit="Show" onSubmit={choose} check={checkRange}>
        <Field label="From" name="from" type="date" value={shown?.from ?? ""} />
        <Field label="To" name="to" type="date" value={shown?.to ?? ""} />
      </Form>
      <Button label="Last 12 months" look="link" onClick={() => change({ from: "", to: "", after: "" })} />
    </div>
  );
}

function checkRange(values: FormData) {
  const [from, to] = [textOf(values, "from"), textOf(values, "to")];
  if (!from) return [{ path: "from", message: "Choose a date." }];
  if (!to) return [{ path: "to", message: "Choose a date." }];
  return from > to ? [{ path: "to", message: "Choose a date on or after the first one." }] : [];
}
