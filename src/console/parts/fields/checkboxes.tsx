import { nameOf } from "../names.js";
import { useProblem } from "./labelled.js";

interface CheckboxesProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly string[];
  /** What each option is called; by default what people call its code. */
  readonly call?: (option: string) => string;
  readonly chosen: readonly string[];
}

/** A choice of any of several, with what is wrong with it. */
export function Checkboxes({ label, name, options, call = nameOf, chosen }: CheckboxesProps) {
  const problem = useProblem(name);
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            name={name}
            value={option}
            defaultChecked={chosen.includes(option)}
            aria-invalid={problem !== undefined || undefined}
          />
          {call(option)}
        </label>
      ))}
      {problem && <small class="complaint">{problem}</small>}
    </fieldset>
  );
}
