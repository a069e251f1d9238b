import { nameOf } from "../names.js";
import { useProblem } from "./labelled.js";

interface CheckboxProps {
  readonly label: string;
  readonly name?: string;
  readonly value?: string;
  readonly checked?: boolean;
  readonly defaultChecked?: boolean;
  readonly onChange?: (isChecked: boolean) => void;
  readonly "aria-invalid"?: true | undefined;
}

/** A checkbox with its label. */
export const Checkbox = ({ label, onChange, ...input }: CheckboxProps) => (
  <label>
    <input type="checkbox" {...input} onChange={({ currentTarget }) => onChange?.(currentTarget.checked)} />
    {label}
  </label>
);

interface CheckboxesProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly string[];
  /** Returns the label of an option; by default the name of its code. */
  readonly call?: (option: string) => string;
  readonly chosen: readonly string[];
}

/** A choice of any number of options, with its problem. */
export function Checkboxes({ label, name, options, call = nameOf, chosen }: CheckboxesProps) {
  const problem = useProblem(name);
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map((option) => (
        <Checkbox
          key={option}
          label={call(option)}
          name={name}
          value={option}
          defaultChecked={chosen.includes(option)}
          aria-invalid={problem === undefined ? undefined : true}
        />
      ))}
      {problem && <small class="complaint">{problem}</small>}
    </fieldset>
  );
}
