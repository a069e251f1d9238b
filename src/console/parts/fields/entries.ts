import { createContext } from "preact";
import type { Problem } from "../../gateway/failure.js";

/** The value and the fault that a field with its own parser passes to the form around it. */
export interface Entry {
  readonly name: string;
  /** The value to send instead of the text; empty if the text is empty or invalid. */
  readonly value: string;
  /** The fault of the text; null if it is valid. */
  readonly complaint: string | null;
}

/** The form around a field with an entry. */
interface EntryForm {
  readonly entries: Set<Entry>;
  /** Removes the problem of a corrected field. */
  forget(name: string): void;
}

export const EntryFormContext = createContext<EntryForm>({ entries: new Set(), forget: () => undefined });

/** Returns a form's values with those of its entries, and the problems of the entries. */
export function readEntries(form: HTMLFormElement, entries: ReadonlySet<Entry>) {
  const values = new FormData(form);
  for (const { name, value } of entries) values.set(name, value);
  const problems: readonly Problem[] = [...entries].flatMap(({ name, complaint }) =>
    complaint === null ? [] : [{ path: name, message: complaint }],
  );
  return { values, problems };
}
