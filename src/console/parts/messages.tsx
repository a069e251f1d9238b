import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
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
  readonly number: number;
}

let count = 0;

const shown = createStore<Shown | null>(null);

/** Shows a message at the foot of the page, until the user dismisses it, another replaces it, or the page changes. */
export const showMessage = (message: Message): void =>
  shown.set({ ...message, path: location.pathname, number: count++ });

/** The place of the messages. */
export function Messages() {
  const { path } = useLocation();
  const message = useStore(shown);
  useEffect(() => {
    if (shown.get()?.path !== location.pathname) shown.set(null);
  }, [path]);
  return (
    <div class="messages" role="status">
      {message && <ShownMessage key={message.number} {...message} />}
    </div>
  );
}

function ShownMessage({ text, link, undo }: Message) {
  const [isBusy, setBusy] = useState(false);
  const { attempt, complaint } = useAttempt();
  const revert = async () => {
    setBusy(true);
    await attempt(async () => {
      await undo?.().catch((failure: unknown) => {
        if (isOvertaken(failure)) throw new Error("It can't be undone: somebody has changed it since.");
        throw failure;
      });
      showMessage({ text: "Undone." });
    });
    setBusy(false);
  };
  return (
    <div class="message">
      <p>
        {text} {link && <a href={link.href}>{link.label}</a>}
      </p>
      {undo && <Button label="Undo" look="quiet" disabled={isBusy} onClick={revert} />}
      <Button label="Dismiss" look="quiet" onClick={() => shown.set(null)} />
      {complaint}
    </div>
  );
}
