import { useCallback } from "preact/hooks";
import { useLocation } from "preact-iso";
import { createStore, useStore } from "../../gateway/store.js";
import { useScope } from "../../gateway/viewer.js";
import { Button } from "../button.js";
import { Later } from "../later.js";
import { moduleOf } from "./conversation.js";

/** True while the chat is open. */
export const isAsking = createStore(false);

/** The button that opens the chat. */
export function Ask() {
  const { path } = useLocation();
  const isOpen = useStore(isAsking);
  const module = moduleOf(path);
  const load = useCallback(async () => {
    const { Panel } = await import("./panel.js");
    return () => <Panel module={module} onClose={() => isAsking.set(false)} />;
  }, [module]);
  if (!useScope("read:emissions")) return null;
  return (
    <>
      <Button label="Ask" onClick={() => isAsking.set(true)} />
      {isOpen && <Later load={load} />}
    </>
  );
}
