import { Page } from "../parts/shell.js";

/** Records. */
export function Records() {
  return <Page title="Records">…</Page>;
}
