import { Labelled } from "./labelled.js";

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: string;
  readonly value?: string;
  readonly autocomplete?: string;
  readonly hint?: string;
  /** The keyboard of a phone, where `type` does not say it. */
  readonly inputmode?: "decimal";
  readonly required?: boolean;
}

/** A labelled field of a form, with what is wrong with it. */
export function Field({ label, name, hint, value = "", ...input }: FieldProps) {
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(attributes) => <input {...input} {...attributes} defaultValue={value} />}
    </Labelled>
  );
}

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

/** A labelled field for several lines. */
export function TextArea({ label, name, hint, value = "" }: TextAreaProps) {
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(attributes) => <textarea {...attributes} rows={3} defaultValue={value} />}
    </Labelled>
  );
}
