import { useLocation } from "preact-iso";
import { createStore, useStore } from "../../gateway/store.js";
import { useScope } from "../../gateway/viewer.js";
import { Button } from "../button.js";
import { lazy } from "../lazy.js";
import type { ChatPanelProps } from "./chat-panel.js";

/** True while the chat is open. */
export const isChatOpen = createStore(false);

const ChatPanel = lazy<ChatPanelProps>(async () => (await import("./chat-panel.js")).ChatPanel);

/** Returns the default subject of questions asked on a page. */
function moduleOf(path: string): ChatPanelProps["module"] {
  const [, page = ""] = /^\/console\/(\w+)/.exec(path) ?? [];
  if (page === "compliance" || page === "cbam") return "COMPLIANCE";
  return page === "credits" ? "CREDITS" : page === "market" ? "MARKET" : "EMISSIONS";
}

/** The button that opens the chat. */
export function ChatButton() {
  const { path } = useLocation();
  const isOpen = useStore(isChatOpen);
  if (!useScope("read:emissions")) return null;
  return (
    <>
      <Button label="Ask" onClick={() => isChatOpen.set(true)} />
      {isOpen && <ChatPanel module={moduleOf(path)} onClose={() => isChatOpen.set(false)} />}
    </>
  );
}
