import { createContext } from "preact";
import type { Problem } from "../../gateway/failure.js";

/** What a field that reads its text itself gives to the form around it. */
export interface Entry {
  readonly name: string;
  /** The value to send instead of the text; empty if there is none. */
  readonly value: string;
  /** What is wrong with the text; null if nothing is. */
  readonly complaint: string | null;
}

/** The form around, as a field with an entry sees it. */
interface EntryForm {
  readonly entries: Set<Entry>;
  /** Removes the problem of a field that was corrected. */
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
