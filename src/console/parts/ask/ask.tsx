import { useCallback, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { Button } from "../button.js";
import { Later } from "../later.js";
import { moduleOf } from "./conversation.js";

/** The button that opens the chat, on pages whose data it covers. */
export function Ask() {
  const { path } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const module = moduleOf(path);
  const load = useCallback(async () => {
    const { Panel } = await import("./panel.js");
    return () => (module ? <Panel module={module} onClose={() => setOpen(false)} /> : null);
  }, [module]);
  if (module === undefined) return null;
  return (
    <>
      <Button label="Ask" onClick={() => setOpen(true)} />
      {isOpen && <Later load={load} />}
    </>
  );
}
