import { Page } from "../parts/shell.js";

/** Compliance. */
export function Compliance() {
  return <Page title="Compliance">…</Page>;
}
