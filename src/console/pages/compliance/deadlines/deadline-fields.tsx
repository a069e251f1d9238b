import { graphql, type Recurrence } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { need, optionalOf, textOf } from "../../../parts/forms/values.js";

const READ_MEMBERS = graphql(`
  query ConsoleOwners { members(first: 100) { nodes { user { name } } } }
`);

/** Labels of the recurrences. */
export const EVERY: Readonly<Record<Recurrence, string>> = {
  ANNUAL: "every year",
  QUARTERLY: "every three months",
  MONTHLY: "every month",
};

/** The values of `DeadlineFields`. */
interface DeadlineText {
  readonly title: string;
  readonly dueDate: string;
  readonly recurrence: Recurrence | null;
  readonly owner: string | null;
}

/** The form fields of a deadline. */
export const DeadlineFields = ({ title, dueDate, recurrence, owner }: DeadlineText) => (
  <>
    <Field label="What is due" name="title" value={title} />
    <Owner owner={owner} />
    <div class="pair">
      <Field label="Due date" name="dueDate" type="date" value={dueDate} />
      <Select
        label="Repeats"
        name="recurrence"
        options={EVERY}
        value={recurrence ?? ""}
        none="never"
        hint="Completing it adds the next one"
      />
    </div>
  </>
);

/** The owner field, which suggests up to 100 members of the organization. */
function Owner({ owner }: Pick<DeadlineText, "owner">) {
  const { data } = useQuery(READ_MEMBERS, {});
  return (
    <Field
      label="Owner"
      name="owner"
      value={owner ?? ""}
      options={data?.members?.nodes.map(({ user }) => user.name) ?? []}
      hint="The person or team responsible. They don't need an account"
    />
  );
}

/** Reads a deadline from the form. */
export const readDeadline = (values: FormData): DeadlineText => ({
  title: textOf(values, "title").trim(),
  dueDate: textOf(values, "dueDate"),
  recurrence: (textOf(values, "recurrence") || null) as Recurrence | null,
  owner: optionalOf(values, "owner"),
});

/** Checks that the form has a title and a due date. */
export function checkDeadline(values: FormData): readonly Problem[] {
  const { title, dueDate } = readDeadline(values);
  return [
    ...need("title", title !== "", "Enter what is due."),
    ...need("dueDate", dueDate !== "", "Choose a date."),
  ];
}
