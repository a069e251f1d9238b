import { createContext, type RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";

/** Ends the dialog around a component, after asking if that would discard changes. Without a dialog, never asks. */
export const Leave = createContext((go: () => void): void => go());

interface OpenDialog {
  /** The page's address according to the router. */
  readonly url: string;
  readonly isChanged: () => boolean;
  /** Asks, and goes if the user discards the changes. */
  readonly askFirst: (go: () => void) => void;
  readonly onClose: (() => void) | undefined;
}

const open = new Set<{ readonly current: OpenDialog }>();

addEventListener("beforeunload", (event) => {
  if ([...open].some(({ current }) => current.isChanged())) event.preventDefault();
});

// This listener must be older than the router's, which it stops.
addEventListener("popstate", (event) => {
  const changed = [...open].findLast(({ current }) => current.isChanged());
  if (!changed) return;
  event.stopImmediatePropagation();
  const { url, askFirst, onClose } = changed.current;
  // The browser has already gone back.
  history.pushState(null, "", url);
  askFirst(() => {
    onClose?.();
    history.back();
  });
});

/** Reloads the page without asking, because it shows data of another user. */
export function reloadAtOnce(): void {
  open.clear();
  location.reload();
}

/**
 * Compares the forms of a dialog with their values before the user's first change. Returns a function that asks before
 * it discards changes, and what to do if the user confirms; null while nothing is asked.
 */
export function useLeaving(
  dialog: RefObject<HTMLElement>,
  hasChanges: boolean,
  onClose: (() => void) | undefined,
) {
  const { url } = useLocation();
  const [before] = useState(() => new WeakMap<HTMLFormElement, string>());
  const [next, setNext] = useState<(() => void) | null>(null);
  const stay = () => setNext(null);
  const isChanged = () =>
    hasChanges ||
    [...(dialog.current?.querySelectorAll("form") ?? [])].some(
      (form) => (before.get(form) ?? readForm(form)) !== readForm(form) && !isSending(form),
    );
  const askFirst = (go: () => void) =>
    setNext(() => () => {
      stay();
      go();
    });
  const latest = useRef<OpenDialog>({ url, isChanged, askFirst, onClose });
  latest.current = { url, isChanged, askFirst, onClose };
  useEffect(() => {
    const leaving = new AbortController();
    const always = { signal: leaving.signal, capture: true };
    const remember = ({ target, type }: Event) => {
      const form = (target as Element).closest("form");
      // A field that changes without an earlier event, e.g. by autofill, had an unknown value.
      if (form && !before.has(form)) before.set(form, type === "input" ? "" : readForm(form));
    };
    for (const kind of ["pointerdown", "keydown", "beforeinput", "input"])
      dialog.current?.addEventListener(kind, remember, always);
    dialog.current?.addEventListener("reset", ({ target }) => before.delete(target as HTMLFormElement));
    open.add(latest);
    return () => {
      open.delete(latest);
      leaving.abort();
    };
  }, []);
  return { leave: (go: () => void) => (isChanged() ? askFirst(go) : go()), next, stay };
}

const readForm = (form: HTMLFormElement): string =>
  JSON.stringify(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === "string" ? value : value.name]),
  );

const isSending = (form: HTMLFormElement) => form.querySelector("[type=submit][aria-busy=true]") !== null;
