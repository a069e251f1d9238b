import type { Recurrence } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { need, textOf } from "../../../parts/forms/values.js";

/** Labels of the recurrences of a deadline. */
export const EVERY: Readonly<Record<Recurrence, string>> = {
  ANNUAL: "every year",
  QUARTERLY: "every three months",
  MONTHLY: "every month",
};

/** The parts of a deadline that users enter. */
export interface DeadlineText {
  readonly title: string;
  readonly dueDate: string;
  readonly recurrence: Recurrence | null;
}

/** The fields of a deadline. */
export const DeadlineFields = ({ title, dueDate, recurrence }: DeadlineText) => (
  <>
    <Field label="What is due" name="title" value={title} />
    <div class="pair">
      <Field label="Due date" name="dueDate" type="date" value={dueDate} />
      <Select
        label="Comes again"
        name="recurrence"
        options={EVERY}
        value={recurrence ?? ""}
        none="never"
        hint="Completing it adds the next one"
      />
    </div>
  </>
);

/** Reads the deadline in a form. */
export const readDeadline = (values: FormData): DeadlineText => ({
  title: textOf(values, "title").trim(),
  dueDate: textOf(values, "dueDate"),
  recurrence: (textOf(values, "recurrence") || null) as Recurrence | null,
});

/** Checks that the deadline in a form is complete. */
export function checkDeadline(values: FormData): readonly Problem[] {
  const { title, dueDate } = readDeadline(values);
  return [
    ...need("title", title !== "", "Say what is due."),
    ...need("dueDate", dueDate !== "", "Choose a day."),
  ];
}
