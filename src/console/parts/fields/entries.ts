import { createContext } from "preact";
import type { Problem } from "../../gateway/failure.js";

/** The value and problem that a field with its own parser passes to its form. */
export interface Entry {
  readonly name: string;
  /** The value to submit instead of the text; empty if the text is empty or invalid. */
  readonly value: string;
  /** The problem with the text; null if it is valid. */
  readonly problem: string | null;
}

/** The form that contains a field with an entry. */
interface EntryForm {
  readonly entries: Set<Entry>;
  /** Removes the problem of a corrected field. */
  forget(name: string): void;
}

export const EntryFormContext = createContext<EntryForm>({ entries: new Set(), forget: () => undefined });

/** Returns the values of a form, including its entries, and the problems of the entries. */
export function readEntries(form: HTMLFormElement, entries: ReadonlySet<Entry>) {
  const values = new FormData(form);
  for (const { name, value } of entries) values.set(name, value);
  const problems: readonly Problem[] = [...entries].flatMap(({ name, problem }) =>
    problem === null ? [] : [{ path: name, message: problem }],
  );
  return { values, problems };
}
