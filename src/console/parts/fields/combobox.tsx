import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../gateway/failure.js";
import { useId } from "../use-id.js";

interface ComboboxProps<Item> {
  readonly label: string;
  /** Attributes of the input. */
  readonly attributes: object;
  /** Text of the input while the user is not typing. */
  readonly chosen: string | null;
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Item[]>;
  /** Returns items to show immediately, before the found ones. */
  readonly suggest?: (text: string) => readonly Item[];
  /** Returns the text of an item. */
  readonly labelOf: (item: Item) => string;
  /** Returns the group of an item. Items of a group must be adjacent. */
  readonly groupOf?: (item: Item) => string;
  /** Returns the address of an item that is a link. */
  readonly hrefOf?: (item: Item) => string | undefined;
  readonly onChoose: (item: Item | null) => void;
  /** True if the list is always open with its first item preselected, as in a search dialog. */
  readonly staysOpen?: boolean;
  /** Renders an item of the list. */
  readonly children: (item: Item) => ComponentChildren;
}

/** An input that searches while the user types: the combobox pattern of ARIA. */
export function Combobox<Item>(props: ComboboxProps<Item>) {
  const {
    label,
    attributes,
    chosen,
    find,
    suggest,
    labelOf,
    groupOf,
    hrefOf,
    onChoose,
    staysOpen = false,
  } = props;
  const closed = staysOpen ? "" : null;
  /** In a form, no option is preselected, because the user must choose. */
  const first = staysOpen ? 0 : -1;
  /** The text typed since the last choice; null while the list is closed. */
  const [typed, setTyped] = useState<string | null>(closed);
  /** The option that the arrow keys have reached; -1 for none. */
  const [active, setActive] = useState(first);
  const { found, failure } = useFound(typed, find);
  const list = useId();
  const options = typed === null ? [] : [...(suggest?.(typed) ?? []), ...(found ?? [])];
  const groups = [...new Set(options.map((item) => groupOf?.(item) ?? ""))];
  const choose = (item: Item | null) => {
    onChoose(item);
    setTyped(closed);
    setActive(first);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      if (typed === null) setTyped("");
      else if (options.length > 0) setActive(stepFrom(active, step, options.length));
    } else if (event.key === "Enter" && (typed !== null || chosen === null)) {
      // If the option is a link, this follows it.
      document.getElementById(`${list}-${active}`)?.click();
    } else if (event.key === "Escape" && typed !== null && !staysOpen) setTyped(null);
    else return;
    // Otherwise Enter would submit the form without a choice, and Escape would close the dialog.
    event.preventDefault();
  };
  const optionsOf = (group: string) =>
    options.map(
      (item, index) =>
        (groupOf?.(item) ?? "") === group && (
          <Option
            key={labelOf(item) + index}
            id={`${list}-${index}`}
            href={hrefOf?.(item)}
            isActive={index === active}
            onChoose={() => choose(item)}
          >
            {props.children(item)}
          </Option>
        ),
    );
  return (
    <div class="search">
      <input
        {...attributes}
        role="combobox"
        autocomplete="off"
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={options.length > 0 ? list : undefined}
        aria-activedescendant={options[active] ? `${list}-${active}` : undefined}
        value={typed ?? chosen ?? ""}
        onInput={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setActive(first);
        }}
        onClick={() => chosen === null && typed === null && setTyped("")}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onBlur={() => staysOpen || (typed === "" ? choose(null) : setTyped(null))}
        onKeyDown={press}
      />
      {typed !== null && (
        <div class="found">
          {options.length > 0 && (
            <div id={list} role="listbox" aria-label={label}>
              {groups.map((group) =>
                groupOf === undefined ? (
                  optionsOf(group)
                ) : (
                  // biome-ignore lint/a11y/useSemanticElements: a listbox holds options and groups, never a fieldset
                  <div key={group} role="group" aria-label={group}>
                    <p aria-hidden="true">{group}</p>
                    {optionsOf(group)}
                  </div>
                ),
              )}
            </div>
          )}
          <p role="status" class="quiet">
            {failure === undefined ? describeCount(found, options.length) : messageOf(failure)}
          </p>
        </div>
      )}
    </div>
  );
}

/** Returns the next option in a direction. Wraps around at both ends. */
const stepFrom = (active: number, step: number, count: number) =>
  active === -1 && step === -1 ? count - 1 : (active + step + count) % count;

const describeCount = (found: readonly unknown[] | undefined, count: number) =>
  found === undefined ? "Searching…" : count === 0 ? "Nothing found" : `${count} found`;

interface OptionProps {
  readonly id: string;
  readonly href: string | undefined;
  readonly isActive: boolean;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

function Option({ id, href, isActive, onChoose, children }: OptionProps) {
  useEffect(() => {
    if (isActive) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [isActive, id]);
  const attributes = {
    id,
    role: "option",
    tabIndex: -1,
    "aria-selected": isActive,
    // Keeps the focus in the input.
    onMouseDown: (event: Event) => event.preventDefault(),
    onClick: onChoose,
    children,
  } as const;
  return href === undefined ? <div {...attributes} /> : <a href={href} {...attributes} />;
}

const PAUSE_MS = 200;

/** Searches when typing pauses. */
function useFound<Item>(text: string | null, find: ComboboxProps<Item>["find"]) {
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
