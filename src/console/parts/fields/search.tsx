import type { ComponentChildren } from "preact";
import { Combobox } from "./combobox.js";
import { Labelled } from "./labelled.js";

interface SearchProps<Item> {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly chosen: Item | null;
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  /** Returns the text of the field for the chosen item. */
  readonly labelOf: (item: Item) => string;
  readonly onChoose: (item: Item | null) => void;
  /** Renders an item of the list. */
  readonly children: (item: Item) => ComponentChildren;
}

/** A form field that searches while the user types, and holds the chosen item. */
export function Search<Item>({ name, hint, chosen, ...combobox }: SearchProps<Item>) {
  return (
    <Labelled label={combobox.label} name={name} hint={hint}>
      {(attributes) => (
        <Combobox<Item>
          attributes={attributes}
          chosen={chosen === null ? null : combobox.labelOf(chosen)}
          {...combobox}
        />
      )}
    </Labelled>
  );
}
