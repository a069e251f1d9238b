import { useMemo } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Field, Form, textOf } from "./form.js";

/** Days from the first to the last, both included; null for the last 12 months. */
export type Range = { readonly from: string; readonly to: string } | null;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The range in the page's address, so that it can be sent to somebody. */
export function useRange(): Range {
  const { from = "", to = "" } = useLocation().query;
  return useMemo(() => (DATE.test(from) && DATE.test(to) ? { from, to } : null), [from, to]);
}

/** The form that puts a range into the address. `shown` is the range of what is on the page. */
export function RangeForm({ shown }: { shown: Range }) {
  const { path, route } = useLocation();
  const choose = async (values: FormData) => {
    route(`${path}?${new URLSearchParams({ from: textOf(values, "from"), to: textOf(values, "to") })}`);
  };
  const check = (values: FormData) =>
    textOf(values, "from") > textOf(values, "to")
      ? [{ path: "to", message: "Expected a day that is not before the first." }]
      : [];
  return (
    <div class="range" key={`${shown?.from}${shown?.to}`}>
      <Form submit="Show" onSubmit={choose} check={check}>
        <Field label="From" name="from" type="date" value={shown?.from ?? ""} required />
        <Field label="To" name="to" type="date" value={shown?.to ?? ""} required />
      </Form>
      <a href={path}>Last 12 months</a>
    </div>
  );
}
