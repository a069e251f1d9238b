import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { isOvertaken } from "../gateway/failure.js";
import { createStore, useStore } from "../gateway/store.js";
import { Button } from "./button.js";
import { useAttempt } from "./states.js";

/** A message after a write. It names what was written. */
export interface Message {
  readonly text: ComponentChildren;
  /** Link to what was written. */
  readonly link?: { readonly label: string; readonly href: string };
  /** Reverts the write; the button "Undo" calls it. */
  readonly undo?: () => Promise<unknown>;
}

interface Shown extends Message {
  /** Path of the page that showed it. */
  readonly path: string;
}

const shown = createStore<Shown | null>(null);

/** Shows a message at the foot of the page, until the user dismisses it, another replaces it, or the page changes. */
export const showMessage = (message: Message): void => shown.set({ ...message, path: location.pathname });

/** The place of the messages. */
export function Messages() {
  const { path } = useLocation();
  const message = useStore(shown);
  const { attempt, complaint } = useAttempt();
  useEffect(() => {
    if (shown.get()?.path !== location.pathname) shown.set(null);
  }, [path]);
  const dismiss = () => shown.set(null);
  return (
    <div class="messages" role="status">
      {message && (
        <div class="message">
          <p>
            {message.text} {message.link && <a href={message.link.href}>{message.link.label}</a>}
          </p>
          {message.undo && <Button label="Undo" look="quiet" onClick={() => attempt(undo(message.undo))} />}
          <Button label="Dismiss" look="quiet" onClick={dismiss} />
          {complaint}
        </div>
      )}
    </div>
  );
}

/** Returns the work of the button "Undo". */
const undo = (revert: Message["undo"]) => async () => {
  await revert?.().catch((failure: unknown) => {
    if (isOvertaken(failure)) throw new Error("It can't be undone: somebody has changed it since.");
    throw failure;
  });
  showMessage({ text: "Undone." });
};
