import { nameOf } from "../names.js";
import { Labelled } from "./labelled.js";

interface SelectProps<Option extends string> {
  readonly label: string;
  readonly name: string;
  /** The options. An object has options as keys and labels as values. */
  readonly options: readonly Option[] | Readonly<Partial<Record<Option, string>>>;
  /** Returns the label of an option in an array; `nameOf` by default. */
  readonly labelOf?: (option: Option) => string;
  readonly value?: Option | "";
  readonly hint?: string;
  /** Label of the empty option, e.g. "All". If omitted, the list has no empty option. */
  readonly none?: string | undefined;
  readonly onChange?: (value: Option) => void;
}

/** A labelled drop-down list. */
export function Select<Option extends string>(props: SelectProps<Option>) {
  const { options, labelOf = nameOf, value, none, onChange, ...labels } = props;
  const named = Array.isArray(options)
    ? options.map((option) => [option, labelOf(option)])
    : Object.entries<string>(options as Record<Option, string>);
  return (
    <Labelled {...labels}>
      {(attributes) => (
        <select {...attributes} onChange={({ currentTarget }) => onChange?.(currentTarget.value as Option)}>
          {none !== undefined && <option value="">{none}</option>}
          {named.map(([option, name]) => (
            <option key={option} value={option} selected={option === value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
