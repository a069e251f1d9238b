import { useState } from "preact/hooks";
import { Field } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import type { Settings } from "./settings.js";

const FREQUENCIES: Readonly<Record<string, string>> = {
  immediate: "Immediately",
  daily: "Once a day",
  weekly: "Once a week",
};
const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour));

/** The schedule of e-mails. */
export function Digest({ digest }: { digest: Settings["digest"] }) {
  const [frequency, setFrequency] = useState(digest.frequency);
  return (
    <fieldset class="card">
      <legend>E-mail schedule</legend>
      <div class="pair">
        <Select
          label="E-mails"
          name="digest.frequency"
          options={FREQUENCIES}
          value={digest.frequency}
          onChange={setFrequency}
        />
        {frequency === "weekly" && (
          <Select label="Day" name="digest.weekday" options={WEEKDAYS} value={digest.weekday} />
        )}
        {frequency !== "immediate" && (
          <>
            <Select
              label="Hour"
              name="digest.hour"
              options={HOURS}
              labelOf={(hour) => `${hour.padStart(2, "0")}:00`}
              value={String(digest.hour)}
            />
            <Field
              label="Time zone"
              name="digest.timezone"
              value={digest.timezone}
              hint={`E.g. ${Intl.DateTimeFormat().resolvedOptions().timeZone}, the zone of this browser`}
            />
          </>
        )}
      </div>
      <p class="quiet">Notifications in the console and by webhook are always sent immediately.</p>
    </fieldset>
  );
}
