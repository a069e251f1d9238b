import { Page } from "../parts/shell.js";

/** Market. */
export function Market() {
  return <Page title="Market">…</Page>;
}
