import { useId } from "../use-id.js";
import { Labelled } from "./labelled.js";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: string;
  readonly value?: string;
  readonly autocomplete?: string;
  readonly hint?: string;
  /** Keyboard on phones, if `type` does not imply it. */
  readonly inputmode?: "numeric";
  readonly required?: boolean;
  /** Suggestions that the browser shows. */
  readonly options?: readonly string[];
  /** Called with the text as the user types. If set, `value` is controlled. */
  readonly onInput?: (text: string) => void;
}

/** A labelled text field, with its problem. */
export function Field({ label, name, hint, value = "", options, onInput, ...input }: FieldProps) {
  const list = useId();
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(attributes) => (
        <>
          <input
            {...input}
            {...attributes}
            list={options && list}
            value={onInput && value}
            defaultValue={onInput ? undefined : value}
            onInput={({ currentTarget }) => onInput?.(currentTarget.value)}
          />
          {options && (
            <datalist id={list}>
              {options.map((option) => (
                <option key={option} value={option} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Labelled>
  );
}

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

/** A labelled field for several lines of text. */
export function TextArea({ label, name, hint, value = "" }: TextAreaProps) {
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(attributes) => <textarea {...attributes} rows={3} defaultValue={value} />}
    </Labelled>
  );
}
