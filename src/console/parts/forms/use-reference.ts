import { useState } from "preact/hooks";

/** Returns a random reference for a form's operation, which makes it safe to send again after a lost answer. */
export function useReference(): string {
  const [parts] = useState(() => crypto.getRandomValues(new Uint32Array(3)));
  return Array.from(parts, (part) => part.toString(36)).join("-");
}
