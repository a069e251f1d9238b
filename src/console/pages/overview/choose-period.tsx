import { useAddress } from "../../parts/address.js";
import { RangeForm } from "../../parts/charts/range.js";
import { todayInUtc } from "../../parts/days.js";
import { Select } from "../../parts/fields/select.js";
import { type Days, financialYearOf, listPresets } from "./periods.js";

const MONTHS = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, "0"));
const month = new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" });
const nameMonth = (number: string) => month.format(new Date(`2000-${number}-01`));

interface ChoosePeriodProps {
  /** The range in the address; null for the last 12 months. */
  readonly chosen: Days | null;
  /** The range of the page's data. */
  readonly shown: Days | null;
}

/** Links to the usual periods, and forms for other days and for the financial year. All of them are in the address. */
export function ChoosePeriod({ chosen, shown }: ChoosePeriodProps) {
  const { query, change } = useAddress();
  const { fy = "" } = query;
  const start = MONTHS.includes(fy) ? fy : "";
  const today = todayInUtc();
  const addressOf = (days: Days | null) => {
    const parts = new URLSearchParams({
      ...(days && { from: days.from, to: days.to }),
      ...(start && { fy: start }),
    });
    return parts.size > 0 ? `/console/?${parts}` : "/console/";
  };
  const choose = (first: string) =>
    change({ fy: first, ...(first ? financialYearOf(today, first) : { from: "", to: "" }) });
  return (
    <div class="periods">
      <nav class="links" aria-label="Period">
        {listPresets(today, start).map(({ name, days }) => (
          <a
            key={name}
            href={addressOf(days)}
            aria-current={days?.from === chosen?.from && days?.to === chosen?.to ? "true" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <details>
        <summary>Other days, financial year</summary>
        <RangeForm shown={shown} />
        <div class="inline">
          <Select
            label="Financial year starts in"
            name="fy"
            options={MONTHS}
            call={nameMonth}
            value={start}
            none="Not set"
            onChange={choose}
          />
        </div>
      </details>
    </div>
  );
}
