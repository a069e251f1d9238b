import { useCallback, useEffect, useState } from "preact/hooks";
import { Lazy } from "../lazy.js";
import { Icon } from "./icon.js";
import type { Group } from "./site.js";

/** The button that opens the search. Ctrl K and ⌘ K open it too, unless a dialog is open. */
export function SearchButton({ groups }: { groups: readonly Group[] }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Autofill in browsers sends key events without a key.
      if (event.key?.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      // Leaves other dialogs alone, because following a result would discard their typed values.
      if (!document.querySelector("dialog[open]")) setOpen(true);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const load = useCallback(async () => (await import("./palette.js")).Palette, []);
  return (
    <>
      <button type="button" class="find" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>
        <Icon path="M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l5 5" />
        <span class="label">
          Search<span class="unseen"> the console</span>
        </span>
        <span class="keys" aria-hidden="true">
          {navigator.userAgent.includes("Mac") ? "⌘" : "Ctrl"} K
        </span>
      </button>
      {isOpen && <Lazy load={load} groups={groups} onClose={() => setOpen(false)} />}
    </>
  );
}
