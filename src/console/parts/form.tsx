import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useState } from "preact/hooks";
import { GatewayFailure, messageOf, type Problem } from "../gateway/failure.js";

const Problems = createContext<readonly Problem[]>([]);

interface FormProps {
  /** What the button says. */
  readonly submit: string;
  /** Gets the form's fields; what it throws is shown beside them. */
  readonly onSubmit: (values: FormData) => Promise<unknown>;
  /** Checks before anything is sent. */
  readonly check?: (values: FormData) => readonly Problem[];
  readonly onCancel?: () => void;
  readonly children?: ComponentChildren;
}

/** A form that is sent once at a time. Each problem stands beside its field, and what has no field above the button. */
export function Form({ submit, onSubmit, check, onCancel, children }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const [{ problems, complaints }, setFaults] = useState(NO_FAULTS);
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget as HTMLFormElement;
    const values = new FormData(form);
    setBusy(true);
    setFaults(NO_FAULTS);
    try {
      const found = check?.(values) ?? [];
      if (found.length > 0) throw new GatewayFailure("VALIDATION_FAILED", "", found);
      await onSubmit(values);
      form.reset();
    } catch (failure) {
      setFaults(placeFaults(form, failure));
      // After the problems are shown, so that a screen reader reads them with the field.
      requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={send} noValidate={check !== undefined}>
      <Problems.Provider value={problems}>{children}</Problems.Provider>
      <div role="alert">
        {complaints.map((complaint) => (
          <p class="complaint" key={complaint}>
            {complaint}
          </p>
        ))}
      </div>
      <div class="buttons">
        {onCancel && (
          <button type="button" class="secondary" onClick={onCancel}>
            Cancel
          </button>
        )}
        <button type="submit" aria-busy={isBusy}>
          {submit}
        </button>
      </div>
    </form>
  );
}

interface Faults {
  /** Those that have a field. */
  readonly problems: readonly Problem[];
  readonly complaints: readonly string[];
}

const NO_FAULTS: Faults = { problems: [], complaints: [] };

function placeFaults(form: HTMLFormElement, failure: unknown): Faults {
  const problems = failure instanceof GatewayFailure ? failure.problems : [];
  const hasField = ({ path }: Problem) => form.elements.namedItem(path.split(".").at(-1) ?? "") !== null;
  const others = problems.filter((problem) => !hasField(problem)).map(({ message }) => message);
  const isPlaced = others.length < problems.length;
  return {
    problems: problems.filter(hasField),
    complaints: isPlaced ? others : [messageOf(failure), ...others],
  };
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: string;
  readonly value?: string;
  readonly autocomplete?: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly maxlength?: number;
  readonly min?: string;
}

/** A labelled field of a form, with what is wrong with it. */
export function Field({ label, name, hint, value, ...input }: FieldProps) {
  const id = useId();
  const problem = useProblem(name);
  const notes = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...input}
        id={id}
        name={name}
        defaultValue={value ?? ""}
        {...(notes && { "aria-describedby": notes })}
        {...(problem && { "aria-invalid": true })}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {problem && (
        <small id={`${id}-problem`} class="complaint">
          {problem}
        </small>
      )}
    </div>
  );
}

/** What is wrong with the field of a name; the gateway's paths may be longer, such as `organization.name`. */
export function useProblem(name: string): string | undefined {
  return useContext(Problems).find(({ path }) => path === name || path.endsWith(`.${name}`))?.message;
}

/** A text field's value. */
export const textOf = (values: FormData, name: string): string => String(values.get(name) ?? "");
