import { useState } from "preact/hooks";
import { run } from "../../gateway/run.js";
import { useScope } from "../../gateway/viewer.js";
import { Button } from "../../parts/button.js";
import { showMessage } from "../../parts/messages.js";
import { useAttempt } from "../../parts/states.js";
import { UNDO_IMPORT } from "../records/imports/undo-import.js";

interface SampleNoteProps {
  /** Id of the sample's import. */
  readonly id: string;
  readonly onChanged: () => void;
}

/** Says that the figures are made up, with a button that removes them. */
export function SampleNote({ id, onChanged }: SampleNoteProps) {
  const { attempt, complaint, isBusy } = useBusyAttempt();
  const mayRemove = useScope("write:emissions");
  const remove = async () => {
    await run(UNDO_IMPORT, { id });
    showMessage({ text: "The sample data are removed." });
    onChanged();
  };
  return (
    <section class="announcement" aria-label="Sample data">
      <div>
        <p>
          <strong>These figures include sample data.</strong> Their amounts are made up.
        </p>
        {complaint}
      </div>
      {mayRemove && <Button label="Remove sample data" aria-busy={isBusy} onClick={() => attempt(remove)} />}
    </section>
  );
}

/** Returns what `useAttempt` does, for one attempt at a time. */
export function useBusyAttempt() {
  const { attempt, complaint } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const attemptOnce = async (work: () => Promise<unknown>) => {
    if (isBusy) return;
    setBusy(true);
    await attempt(work);
    setBusy(false);
  };
  return { attempt: attemptOnce, complaint, isBusy };
}
