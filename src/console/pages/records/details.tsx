import { Details } from "../../parts/details.js";
import { Dialog } from "../../parts/dialog.js";
import { nameOf } from "../../parts/names.js";
import type { EmissionRecord } from "./read-records.js";

interface RecordDetailsProps {
  readonly record: EmissionRecord;
  readonly onClose: () => void;
}

/** Everything that is known of one record. */
export function RecordDetails({ record, onClose }: RecordDetailsProps) {
  const { facility, category, reference, source } = record;
  return (
    <Dialog title={`Record of ${record.recordedOn}`} onClose={onClose}>
      <Details
        items={{
          Emissions: `${record.co2eTonnesExact} tCO₂e`,
          Scope: nameOf(record.scope),
          Facility:
            facility && `${facility.name} (${[facility.code, facility.country].filter(Boolean).join(", ")})`,
          Category: category && nameOf(category),
          Reference: reference,
          Source: source,
          Identifier: record.id,
        }}
      />
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
