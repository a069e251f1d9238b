import { nameOf } from "../names.js";
import { Labelled } from "./labelled.js";

interface SelectProps {
  readonly label: string;
  readonly name: string;
  /** The options; those of an object are its keys, each called what it says. */
  readonly options: readonly string[] | Readonly<Record<string, string>>;
  /** What each option of a list is called; by default what people call its code. */
  readonly call?: (option: string) => string;
  readonly value?: string;
  readonly hint?: string;
  /** What choosing nothing means, such as "All"; without it something is always chosen. */
  readonly none?: string;
  readonly onChange?: (value: string) => void;
}

/** A labelled choice of one of several. */
export function Select({ options, call = nameOf, value, none, onChange, ...labels }: SelectProps) {
  return (
    <Labelled {...labels}>
      {(attributes) => (
        <select {...attributes} onChange={({ currentTarget }) => onChange?.(currentTarget.value)}>
          {none !== undefined && <option value="">{none}</option>}
          {namesOf(options, call).map(([option, name]) => (
            <option key={option} value={option} selected={option === value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

const namesOf = (options: SelectProps["options"], call: (option: string) => string) =>
  Array.isArray(options) ? options.map((option: string) => [option, call(option)]) : Object.entries(options);
