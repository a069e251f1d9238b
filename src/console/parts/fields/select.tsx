import { nameOf } from "../names.js";
import { Labelled } from "./labelled.js";

interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly string[];
  /** What each option is called; by default what people call its code. */
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
          {options.map((option) => (
            <option key={option} value={option} selected={option === value}>
              {call(option)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}
