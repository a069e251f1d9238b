import { Labelled } from "./labelled.js";

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly hint?: string;
}

/** A labelled field for several lines. */
export function TextArea({ label, name, hint, value = "" }: TextAreaProps) {
  return (
    <Labelled {...{ label, name, hint }}>
      {(attributes) => <textarea {...attributes} rows={3} defaultValue={value} />}
    </Labelled>
  );
}
