import { Button } from "../../parts/button.js";
import { Checkbox } from "../../parts/fields/checkboxes.js";
import { useDialog } from "../../parts/forms/dialogs.js";
import { lazy } from "../../parts/lazy.js";
import type { LockOf } from "./locks.js";
import { describeRecords, type EmissionRecord } from "./read-records.js";
import { DeleteRecords } from "./writing/delete-records.js";

const RecalculateRecords = lazy<{ records: readonly EmissionRecord[] }>(
  async () => (await import("./writing/recalculate-records.js")).RecalculateRecords,
);

interface SelectionBarProps {
  /** The records of the page. */
  readonly records: readonly EmissionRecord[];
  readonly selected: readonly EmissionRecord[];
  readonly onSelect: (records: readonly EmissionRecord[]) => void;
  readonly lockOf: LockOf;
}

/** Bar with a checkbox for the whole page and actions on the selected records. The actions skip locked records. */
export function SelectionBar({ records, selected, onSelect, lockOf }: SelectionBarProps) {
  const { open } = useDialog();
  const free = selected.filter((record) => lockOf(record) === undefined);
  const calculated = free.filter(({ calculation }) => calculation?.factor);
  const lockedCount = selected.length - free.length;
  const isAll = selected.length === records.length;
  return (
    <section class="selection" aria-label="Selected records">
      <Checkbox
        label="Select all on this page"
        checked={isAll}
        onChange={() => onSelect(isAll ? [] : records)}
      />
      <p role="status" class="quiet">
        {selected.length > 0 && `Selected: ${describeRecords(selected)}`}
        {lockedCount > 0 && `. ${lockedCount} locked and left out`}
      </p>
      <Button
        label="Recalculate selected"
        disabled={calculated.length === 0}
        aria-haspopup="dialog"
        onClick={() => open(<RecalculateRecords records={calculated} />)}
      />
      <Button
        label="Delete selected"
        disabled={free.length === 0}
        aria-haspopup="dialog"
        onClick={() => open(<DeleteRecords records={free} />)}
      />
    </section>
  );
}
