import { useState } from "preact/hooks";

/** Returns a reference for a form's operation, so that sending it again after a lost answer has no effect. */
export function useReference(): string {
  const [parts] = useState(() => crypto.getRandomValues(new Uint32Array(3)));
  return Array.from(parts, (part) => part.toString(36)).join("-");
}
