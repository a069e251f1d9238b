import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { messageOf } from "../../gateway/failure.js";
import { Labelled } from "./labelled.js";

interface SearchProps<Item> {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly chosen: Item | null;
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  /** Returns the text of the field for the chosen item. */
  readonly call: (item: Item) => string;
  readonly onChoose: (item: Item | null) => void;
  /** Renders an item of the list. */
  readonly children: (item: Item) => ComponentChildren;
}

/**
 * A field that searches while you type, and holds the chosen item: the combobox of the ARIA practices, initially
 * without a selected option.
 */
export function Search<Item>({
  label,
  name,
  hint,
  chosen,
  find,
  call,
  onChoose,
  children,
}: SearchProps<Item>) {
  /** The text typed since the last choice; null while the list is closed. */
  const [typed, type] = useState<string | null>(null);
  /** The option that the arrow keys have reached; -1 for none, because only the user may choose. */
  const [active, setActive] = useState(-1);
  const { found, failure } = useFound(typed, find);
  const list = useId();
  const options = typed === null ? [] : (found ?? []);
  const choose = (item: Item | null) => {
    onChoose(item);
    type(null);
    setActive(-1);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = options[active];
    if (step !== undefined) {
      if (typed === null) type("");
      else if (options.length > 0) setActive(stepFrom(active, step, options.length));
    } else if (event.key === "Enter" && (typed !== null || chosen === null)) {
      if (item !== undefined) choose(item);
    } else if (event.key === "Escape" && typed !== null) type(null);
    else return;
    // Otherwise Enter would send the form without a choice, and Escape would close the dialog.
    event.preventDefault();
  };
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(attributes) => (
        <div class="search">
          <input
            {...attributes}
            role="combobox"
            autocomplete="off"
            aria-autocomplete="list"
            aria-expanded={options.length > 0}
            aria-controls={options.length > 0 ? list : undefined}
            aria-activedescendant={options[active] ? `${list}-${active}` : undefined}
            value={typed ?? (chosen === null ? "" : call(chosen))}
            onInput={({ currentTarget }) => {
              type(currentTarget.value);
              setActive(-1);
            }}
            onClick={() => chosen === null && typed === null && type("")}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onBlur={() => (typed === "" ? choose(null) : type(null))}
            onKeyDown={press}
          />
          {typed !== null && (
            <div class="found">
              {options.length > 0 && (
                <div id={list} role="listbox" aria-label={label}>
                  {options.map((item, index) => (
                    <Option
                      key={call(item) + index}
                      id={`${list}-${index}`}
                      isActive={index === active}
                      onChoose={() => choose(item)}
                    >
                      {children(item)}
                    </Option>
                  ))}
                </div>
              )}
              <p role="status" class="quiet">
                {failure === undefined ? say(found) : messageOf(failure)}
              </p>
            </div>
          )}
        </div>
      )}
    </Labelled>
  );
}

/** Returns the next option in a direction, starting from no option and wrapping around at both ends. */
const stepFrom = (active: number, step: number, count: number) =>
  active === -1 && step === -1 ? count - 1 : (active + step + count) % count;

const say = (found: readonly unknown[] | undefined) =>
  found === undefined ? "Searching…" : found.length === 0 ? "Nothing found" : `${found.length} found`;

interface OptionProps {
  readonly id: string;
  readonly isActive: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

function Option({ id, isActive, onChoose, children }: OptionProps) {
  useEffect(() => {
    if (isActive) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [isActive, id]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      // Keeps the focus in the field.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      {children}
    </div>
  );
}

const PAUSE_MS = 200;

/** Searches once typing pauses. */
function useFound<Item>(text: string | null, find: SearchProps<Item>["find"]) {
  const [state, setState] = useState<{ found?: readonly Item[]; failure?: unknown }>({});
  // Assumes that `find` never changes.
  useEffect(() => {
    setState({});
    if (text === null) return;
    const leaving = new AbortController();
    const search = () =>
      find(text.trim(), leaving.signal).then(
        (found) => leaving.signal.aborted || setState({ found }),
        (failure) => leaving.signal.aborted || setState({ failure }),
      );
    const timer = setTimeout(search, text ? PAUSE_MS : 0);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text]);
  return state;
}
