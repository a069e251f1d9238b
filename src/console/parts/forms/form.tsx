import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { GatewayFailure, isVersionConflict, messageOf, type Problem } from "../../gateway/failure.js";
import { Button } from "../button.js";
import { type Entry, EntryFormContext, readEntries } from "../fields/entries.js";
import { Problems } from "../fields/labelled.js";
import { Leave } from "./use-leaving.js";

interface FormProps {
  /** Label of the button. */
  readonly submit: string;
  /** Called with the values, with numbers as plain decimals. The form shows thrown problems at their fields. */
  readonly onSubmit: (values: FormData) => Promise<unknown>;
  /** Checks the values before they are submitted. */
  readonly check?: ((values: FormData) => readonly Problem[]) | undefined;
  readonly onCancel?: () => void;
  /** True if the fields keep their values after submitting. */
  readonly keepsValues?: boolean;
  readonly children?: ComponentChildren;
}

/**
 * A form that sends one request at a time. Shows each problem next to its field, and problems without a field above
 * the button.
 */
export function Form({ submit, onSubmit, check, onCancel, keepsValues, children }: FormProps) {
  const leave = useContext(Leave);
  const [isBusy, setBusy] = useState(false);
  const [{ problems, messages }, setErrors] = useState(NO_ERRORS);
  const [entries] = useState(() => new Set<Entry>());
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget as HTMLFormElement;
    const { values, problems } = readEntries(form, entries);
    setBusy(true);
    setErrors(NO_ERRORS);
    try {
      const found = [...problems, ...(check?.(values) ?? [])];
      if (found.length > 0) throw new GatewayFailure("VALIDATION_FAILED", "", { problems: found });
      await onSubmit(values);
      if (!keepsValues) form.reset();
    } catch (failure) {
      setErrors(placeErrors(form, failure));
      // Focuses the field after its problem is rendered, so that screen readers read both. Does nothing if the user
      // has moved the focus in the meantime.
      const { activeElement } = document;
      requestAnimationFrame(() => {
        if (document.activeElement !== activeElement) return;
        form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
      });
    } finally {
      setBusy(false);
    }
  };
  /** Removes the problem of a field once it is corrected. */
  const forget = (name: string) =>
    setErrors((errors) => ({ ...errors, problems: errors.problems.filter(({ path }) => path !== name) }));
  const [entryForm] = useState({ entries, forget });
  return (
    <form
      onSubmit={send}
      onInput={({ target }) => forget((target as HTMLInputElement).name)}
      noValidate={check !== undefined}
    >
      <EntryFormContext.Provider value={entryForm}>
        <Problems.Provider value={problems}>{children}</Problems.Provider>
      </EntryFormContext.Provider>
      <div role="alert">
        {messages.map((message) => (
          <p class="complaint" key={message}>
            {message}
          </p>
        ))}
      </div>
      <div class="buttons">
        {onCancel && <Button label="Cancel" look="secondary outline" onClick={() => leave(onCancel)} />}
        <button type="submit" aria-busy={isBusy}>
          {submit}
        </button>
      </div>
    </form>
  );
}

interface FormErrors {
  /** Problems that belong to a field. */
  readonly problems: readonly Problem[];
  readonly messages: readonly string[];
}

const NO_ERRORS: FormErrors = { problems: [], messages: [] };

function placeErrors(form: HTMLFormElement, failure: unknown): FormErrors {
  const problems = failure instanceof GatewayFailure ? failure.problems : [];
  const hasField = ({ path }: Problem) => form.elements.namedItem(path) !== null;
  const others = problems.filter((problem) => !hasField(problem)).map(({ message }) => message);
  const isShown = problems.length > 0 && !isVersionConflict(failure);
  return { problems: problems.filter(hasField), messages: isShown ? others : [messageOf(failure)] };
}
