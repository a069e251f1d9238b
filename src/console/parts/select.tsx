import { useId } from "preact/hooks";
import { useProblem } from "./form.js";
import { nameOf } from "./names.js";

interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly string[];
  /** What each option is called; by default what people call its code. */
  readonly call?: (option: string) => string;
  readonly value?: string;
  /** What choosing nothing means, such as "All"; without it something is always chosen. */
  readonly none?: string;
  readonly onChange?: (value: string) => void;
}

/** A labelled choice of one of several. */
export function Select({ label, name, options, call = nameOf, value, none, onChange }: SelectProps) {
  const id = useId();
  const problem = useProblem(name);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem && `${id}-problem`}
        onChange={({ currentTarget }) => onChange?.(currentTarget.value)}
      >
        {none !== undefined && <option value="">{none}</option>}
        {options.map((option) => (
          <option key={option} value={option} selected={option === value}>
            {call(option)}
          </option>
        ))}
      </select>
      {problem && (
        <small id={`${id}-problem`} class="complaint">
          {problem}
        </small>
      )}
    </div>
  );
}
