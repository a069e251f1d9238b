import { nameOf } from "../names.js";
import { Labelled } from "./labelled.js";

interface SelectProps<Option extends string> {
  readonly label: string;
  readonly name: string;
  /** The options; those of an object are its keys, each called what it says. */
  readonly options: readonly Option[] | Readonly<Partial<Record<Option, string>>>;
  /** What each option of a list is called; by default what people call its code. */
  readonly call?: (option: Option) => string;
  readonly value?: Option | "";
  readonly hint?: string;
  /** Label of the empty choice, such as "All"; without it, an option is always chosen. */
  readonly none?: string | undefined;
  readonly onChange?: (value: Option) => void;
}

/** A labelled choice of one of several. */
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
