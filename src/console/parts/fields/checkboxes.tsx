import { Fragment } from "preact";
import { useRef } from "preact/hooks";
import { Button } from "../button.js";
import { nameOf } from "../names.js";
import { useId } from "../use-id.js";
import { useProblem } from "./labelled.js";

interface CheckboxProps {
  readonly label: string;
  readonly name?: string;
  readonly value?: string;
  readonly checked?: boolean;
  readonly defaultChecked?: boolean;
  readonly onChange?: (isChecked: boolean) => void;
  readonly "aria-invalid"?: true | undefined;
  readonly "aria-describedby"?: string | undefined;
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
  /** Returns the label of an option; `nameOf` by default. */
  readonly labelOf?: (option: string) => string;
  /** Returns an explanation to show below an option. */
  readonly explain?: (option: string) => string;
  readonly chosen: readonly string[];
  /** True to show a button that selects all options. */
  readonly offersAll?: boolean;
}

/** A group of checkboxes, with its problem. */
export function Checkboxes(props: CheckboxesProps) {
  const { label, name, options, labelOf = nameOf, explain, chosen, offersAll = false } = props;
  const problem = useProblem(name);
  const id = useId();
  const group = useRef<HTMLFieldSetElement>(null);
  const chooseAll = () => {
    for (const box of group.current?.querySelectorAll("input") ?? []) {
      box.checked = true;
      box.dispatchEvent(new Event("input", { bubbles: true }));
    }
  };
  return (
    <fieldset ref={group}>
      <legend>{label}</legend>
      {options.map((option) => (
        <Fragment key={option}>
          <Checkbox
            label={labelOf(option)}
            name={name}
            value={option}
            defaultChecked={chosen.includes(option)}
            aria-invalid={problem === undefined ? undefined : true}
            aria-describedby={explain && `${id}-${option}`}
          />
          {explain && (
            <small id={`${id}-${option}`} class="explanation">
              {explain(option)}
            </small>
          )}
        </Fragment>
      ))}
      {offersAll && <Button label="Select all" look="link" onClick={chooseAll} />}
      {problem && <small class="complaint">{problem}</small>}
    </fieldset>
  );
}
