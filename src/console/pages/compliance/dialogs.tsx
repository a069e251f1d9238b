import type { Framework } from "../../../generated/console.js";
import { AddDeadline } from "./deadlines/add-deadline.js";
import { AdoptDeadlines } from "./deadlines/adopt-deadlines.js";
import { ChangeDeadline } from "./deadlines/change-deadline.js";
import { CompleteDeadline } from "./deadlines/complete-deadline.js";
import { AddFramework } from "./frameworks/add-framework.js";
import { SetStatus } from "./frameworks/set-status.js";
import { ChangePeriod } from "./periods/change-period.js";
import { RecordPeriod } from "./periods/record-period.js";
import { Surrender } from "./periods/surrender.js";
import type { Deadline, FrameworkState, Period } from "./read-compliance.js";

/** What is to be done on the page. */
export type Open =
  | { readonly what: "add-framework"; readonly offered: readonly Framework[] }
  | { readonly what: "set-status"; readonly state: FrameworkState }
  | { readonly what: "add-deadline" | "adopt-deadlines" }
  | { readonly what: "change-deadline" | "complete-deadline"; readonly deadline: Deadline }
  | { readonly what: "record-period" }
  | { readonly what: "change-period" | "surrender"; readonly period: Period };

interface ComplianceDialogProps {
  readonly open: Open;
  readonly onClose: () => void;
  /** Gets what is to be said once it is done. */
  readonly onSay: (said: string) => void;
}

/** The dialog of what is to be done. */
export function ComplianceDialog({ open, onClose, onSay }: ComplianceDialogProps) {
  switch (open.what) {
    case "add-framework":
      return <AddFramework offered={open.offered} onClose={onClose} />;
    case "set-status":
      return <SetStatus state={open.state} onClose={onClose} />;
    case "add-deadline":
      return <AddDeadline onClose={onClose} />;
    case "adopt-deadlines":
      return <AdoptDeadlines onClose={onClose} onSay={onSay} />;
    case "change-deadline":
      return <ChangeDeadline deadline={open.deadline} onClose={onClose} />;
    case "complete-deadline":
      return <CompleteDeadline deadline={open.deadline} onClose={onClose} onSay={onSay} />;
    case "record-period":
      return <RecordPeriod onClose={onClose} />;
    case "change-period":
      return <ChangePeriod period={open.period} onClose={onClose} />;
    case "surrender":
      return <Surrender period={open.period} onClose={onClose} />;
  }
}
