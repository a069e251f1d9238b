import { Page } from "../parts/shell.js";

/** Settings. */
export function Settings() {
  return <Page title="Settings">…</Page>;
}
