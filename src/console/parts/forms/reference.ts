import { useState } from "preact/hooks";

/** A reference for what a form does, so that to send it again after a lost answer does nothing twice. */
export function useReference(): string {
  const [parts] = useState(() => crypto.getRandomValues(new Uint32Array(3)));
  return Array.from(parts, (part) => part.toString(36)).join("-");
}
