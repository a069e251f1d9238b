import { useLocation } from "preact-iso";
import { createStore, useStore } from "../../gateway/store.js";
import { useScope } from "../../gateway/viewer.js";
import { Button } from "../button.js";
import { lazy } from "../lazy.js";
import type { PanelProps } from "./panel.js";

/** True while the chat is open. */
export const isAsking = createStore(false);

const Panel = lazy<PanelProps>(async () => (await import("./panel.js")).Panel);

/** Returns the default subject of questions asked on a page. */
function moduleOf(path: string): PanelProps["module"] {
  const [, page = ""] = /^\/console\/(\w+)/.exec(path) ?? [];
  if (page === "compliance" || page === "cbam") return "COMPLIANCE";
  return page === "credits" ? "CREDITS" : page === "market" ? "MARKET" : "EMISSIONS";
}

/** The button that opens the chat. */
export function Ask() {
  const { path } = useLocation();
  const isOpen = useStore(isAsking);
  if (!useScope("read:emissions")) return null;
  return (
    <>
      <Button label="Ask" onClick={() => isAsking.set(true)} />
      {isOpen && <Panel module={moduleOf(path)} onClose={() => isAsking.set(false)} />}
    </>
  );
}
