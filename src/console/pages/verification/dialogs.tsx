import type { Request, VerifiedRecord } from "./read-requests.js";
import { AddFinding } from "./request/add-finding.js";
import { Decide } from "./request/decide.js";
import type { Step } from "./request/steps.js";
import { TakeStep } from "./request/take-step.js";

/** What is to be done with a request as it was shown. */
export type Open =
  | { readonly what: "decide"; readonly request: Request }
  | { readonly what: "step"; readonly request: Request; readonly step: Step }
  | { readonly what: "add-finding"; readonly request: Request; readonly record: VerifiedRecord | null };

/** The dialog of what is to be done. */
export function RequestDialog({ open, onClose }: { open: Open; onClose: () => void }) {
  const { request } = open;
  switch (open.what) {
    case "decide":
      return <Decide request={request} onClose={onClose} />;
    case "step":
      return <TakeStep step={open.step} request={request} onClose={onClose} />;
    case "add-finding":
      return <AddFinding record={open.record} request={request} onClose={onClose} />;
  }
}
