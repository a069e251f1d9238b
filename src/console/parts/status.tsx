import type { ComponentChildren } from "preact";
import { nameOf } from "./names.js";

interface StatusProps {
  readonly of: string;
  /** A note below it. */
  readonly children?: ComponentChildren;
}

/** The state of something that can end: a key, a service account, a webhook, a facility. */
export const Status = ({ of, children }: StatusProps) => (
  <>
    <span class={`key-status ${of.toLowerCase()}`}>{nameOf(of)}</span>
    {children && (
      <>
        <br />
        <small class="quiet">{children}</small>
      </>
    )}
  </>
);
