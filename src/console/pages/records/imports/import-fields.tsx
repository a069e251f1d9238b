import { Checkbox } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { nameOf } from "../../../parts/names.js";
import { SCOPES } from "../filters.js";
import { FIELDS, guessColumns } from "./columns.js";
import { FIELD_NAMES, LOCALES, TICKS } from "./import-form.js";
import type { Head } from "./read-head.js";

const UNITS: Readonly<Record<string, string>> = {
  t: "Tonnes",
  kg: "Kilograms",
  g: "Grams",
  lb: "Pounds",
  kt: "Kilotonnes",
};

/** The column of each part of a record, as its name suggests, and the format of the file. */
export function ImportFields({ head }: { head: Head }) {
  const { names, example } = head;
  const guessed = guessColumns(head);
  const callColumn = (choice: string) => {
    if (!/^\d+$/.test(choice)) return `${nameOf(choice.toUpperCase())} in every row`;
    const [name, value] = [names[Number(choice)], example[Number(choice)]];
    return `${name || `Column ${Number(choice) + 1}`}${value ? `: ${value}` : ""}`;
  };
  const columns = names.map((_, index) => String(index));
  return (
    <>
      <fieldset class="pair">
        <legend>Columns of the file, each with what its first row has</legend>
        {FIELDS.map((field) => {
          const from = guessed[field];
          return (
            <Select
              key={field}
              label={FIELD_NAMES[field]}
              name={field}
              options={
                field === "scope" ? [...columns, ...SCOPES.map((scope) => scope.toLowerCase())] : columns
              }
              call={callColumn}
              value={from && "column" in from ? String(from.column) : ""}
              none="Not in the file"
            />
          );
        })}
      </fieldset>
      <fieldset>
        <legend>How it is written</legend>
        <div class="pair">
          <Select label="Unit of emissions" name="tonnes_unit" options={UNITS} />
          <Select label="Numbers" name="locale" options={LOCALES} none="Plain: 1250.5, or as ticked below" />
          <Field label="Dates" name="date_format" hint="Such as DD.MM.YYYY. Empty: 2026-03-31" />
        </div>
        {Object.entries(TICKS).map(([name, label]) => (
          <Checkbox key={name} label={label} name={name} />
        ))}
      </fieldset>
    </>
  );
}
