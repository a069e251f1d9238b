import { Page } from "../parts/shell.js";

/** Credits. */
export function Credits() {
  return <Page title="Credits">…</Page>;
}
