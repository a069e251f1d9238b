import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { isVersionConflict } from "../gateway/failure.js";
import { createStore, useStore } from "../gateway/store.js";
import { Button } from "./button.js";
import { useAttempt } from "./states.js";

/** A message about a completed change. */
export interface Message {
  readonly text: ComponentChildren;
  /** Link to the changed object. */
  readonly link?: { readonly label: string; readonly href: string };
  /** Called by the button "Undo". */
  readonly undo?: () => Promise<unknown>;
}

interface PageMessage extends Message {
  /** Path of the page that showed it. */
  readonly path: string;
  readonly number: number;
}

let count = 0;

const shown = createStore<PageMessage | null>(null);

/**
 * Shows a message at the bottom of the page until the user dismisses it, another message replaces it, or the page
 * changes.
 */
export const showMessage = (message: Message): void =>
  shown.set({ ...message, path: location.pathname, number: count++ });

/** Area that shows the messages. */
export function Messages() {
  const { path } = useLocation();
  const message = useStore(shown);
  useEffect(() => {
    if (shown.get()?.path !== location.pathname) shown.set(null);
  }, [path]);
  return (
    <div class="messages" role="status">
      {message && <MessageBar key={message.number} {...message} />}
    </div>
  );
}

function MessageBar({ text, link, undo }: Message) {
  const [isBusy, setBusy] = useState(false);
  const { attempt, complaint } = useAttempt();
  const revert = async () => {
    setBusy(true);
    await attempt(async () => {
      await undo?.().catch((failure: unknown) => {
        if (isVersionConflict(failure))
          throw new Error("This can't be undone, because someone has changed it since.");
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
