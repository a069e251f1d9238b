import { nameOf } from "../names.js";
import { Labelled } from "./labelled.js";

interface SelectProps<Option extends string> {
  readonly label: string;
  readonly name: string;
  /** The options; for an object, its keys are the options and its values their labels. */
  readonly options: readonly Option[] | Readonly<Partial<Record<Option, string>>>;
  /** Returns the label of an option in a list; by default the name of its code. */
  readonly call?: (option: Option) => string;
  readonly value?: Option | "";
  readonly hint?: string;
  /** Label of the empty choice, such as "All"; without it, one option is always chosen. */
  readonly none?: string | undefined;
  readonly onChange?: (value: Option) => void;
}

/** A labelled choice of one option. */
export function Select<Option extends string>(props: SelectProps<Option>) {
  const { options, call = nameOf, value, none, onChange, ...labels } = props;
  const named = Array.isArray(options)
    ? options.map((option) => [option, call(option)])
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
