import { COUNTRIES, countryOf } from "../../../parts/countries.js";
import { Checkbox } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { writeDay } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { writeDecimal } from "../../../parts/numbers.js";
import { SCOPES } from "../filters.js";
import { FIELD_NAMES, FIELDS, type ImportField, MAIN_FIELDS } from "./columns.js";
import { CHECKBOX_LABELS, DATES, FIELD_OF_QUESTION, type NUMBERS } from "./import-form.js";
import type { Preview } from "./preview.js";

const UNITS: Readonly<Record<string, string>> = {
  t: "Tonnes",
  kg: "Kilograms",
  g: "Grams",
  lb: "Pounds",
  kt: "Kilotonnes",
};

const ENCODINGS: Readonly<Record<string, string>> = {
  "utf-8": "UTF-8",
  "windows-1252": "Windows (western Europe)",
  "utf-16": "UTF-16",
};

const DELIMITERS: Readonly<Record<string, string>> = {
  ",": "Comma",
  ";": "Semicolon",
  "\\t": "Tab",
  "|": "Vertical bar",
};

const MARKS = { point: "1,234.5 (decimal point)", comma: "1.234,5 (decimal comma)" };

/** Values that the user can choose instead of a column. They apply to every row. */
const FIXED: Partial<Record<ImportField, readonly string[]>> = {
  scope: SCOPES.map((scope) => scope.toLowerCase()),
  unit: ["kWh", "MWh", "litre", "m3", "kg", "tonne", "km"],
  activity: ["Electricity", "Natural gas", "District heating", "Heating oil", "Diesel", "Petrol"],
};

/** The format of a file and the column for each field, as guessed by the gateway. */
export function ImportFields({ preview }: { preview: Preview }) {
  const { options, columns, rows, new_facilities: created } = preview;
  const textOf = (name: string) => String(options[name] ?? "");
  const numbers = columns.map((_, index) => String(index));
  const labelOfChoice = (choice: string) => {
    if (!/^\d+$/.test(choice))
      return `${choice.startsWith("scope_") ? nameOf(choice.toUpperCase()) : choice} in every row`;
    const value = rows[0]?.cells[Number(choice)];
    return `${columns[Number(choice)]?.name}${value ? `: ${value}` : ""}`;
  };
  const selectFor = (field: ImportField) => {
    const column = /^#(\d+)$/.exec(textOf(`map.${field}`))?.[1];
    const fixed = textOf(`set.${field}`);
    const texts = new Set([...(FIXED[field] ?? []), ...(fixed === "" ? [] : [fixed])]);
    return (
      <Select
        key={field}
        label={FIELD_NAMES[field]}
        name={field}
        options={[...numbers, ...texts]}
        labelOf={labelOfChoice}
        value={column === undefined ? fixed : String(Number(column) - 1)}
        none="Not in the file"
      />
    );
  };
  const asked = new Map(preview.questions.map((question) => [FIELD_OF_QUESTION[question.code], question]));
  const [dates, marks] = [asked.get("date_format"), asked.get("numbers")];
  const format = textOf("date_format");
  return (
    <>
      <div class="pair">
        {dates ? (
          <Select
            label={`Which date is ${dates.text}?`}
            name="date_format"
            options={Object.fromEntries(
              dates.readings.map(({ value, options }) => [options.date_format, writeDay(value)]),
            )}
            none="Choose a date"
          />
        ) : (
          <Select
            label="Dates"
            name="date_format"
            options={{ ...DATES, ...(format && !(format in DATES) && { [format]: format }) }}
            value={format}
            none="2026-03-31"
          />
        )}
        <Select
          label={marks ? `Which number is ${marks.text}?` : "Numbers"}
          name="numbers"
          options={
            marks
              ? Object.fromEntries(
                  marks.readings.map(({ value, options }) => [markOf(options), writeDecimal(value)]),
                )
              : MARKS
          }
          {...(marks ? { none: "Choose a number" } : { value: markOf(options) })}
        />
        <Select
          label={created.length > 0 ? "Country of the new facilities" : "Country, if the file has none"}
          name="country"
          options={COUNTRIES}
          labelOf={countryOf}
          value={textOf("country") || textOf("set.region")}
          none="Choose a country"
          hint="Factors for electricity and fuels depend on the country"
        />
      </div>
      <div class="pair">{MAIN_FIELDS.map(selectFor)}</div>
      {created.length > 0 && <p class="note">New facilities: {created.join(", ")}</p>}
      <OptionCheckbox name="create_facilities" options={options} />
      <details>
        <summary>More columns and options</summary>
        <div class="pair">
          {FIELDS.filter((field) => !MAIN_FIELDS.includes(field)).map(selectFor)}
          <Select label="Unit of emissions" name="tonnes_unit" options={UNITS} value={textOf("unit")} />
          <Select
            label="Columns are separated by"
            name="delimiter"
            options={DELIMITERS}
            value={textOf("delimiter")}
          />
          <Select label="Encoding" name="encoding" options={ENCODINGS} value={textOf("encoding")} />
          <Field
            label="Lines above the header"
            name="skip_lines"
            inputmode="numeric"
            value={textOf("skip_lines")}
          />
        </div>
        {Object.keys(CHECKBOX_LABELS)
          .filter((name) => name !== "create_facilities")
          .map((name) => (
            <OptionCheckbox key={name} name={name} options={options} />
          ))}
      </details>
    </>
  );
}

const markOf = (options: Preview["options"]): keyof typeof NUMBERS =>
  options.decimal_comma === "true" ? "comma" : "point";

const OptionCheckbox = ({ name, options }: { name: string; options: Preview["options"] }) => (
  <Checkbox label={CHECKBOX_LABELS[name] ?? ""} name={name} defaultChecked={options[name] === "true"} />
);
