import type { ComponentChildren } from "preact";
import { nameOf } from "./names.js";

interface StatusProps {
  readonly of: string;
  /** A note below the status. */
  readonly children?: ComponentChildren;
}

/** The status of an object, e.g. an API key or a webhook. */
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
