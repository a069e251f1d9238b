import { useAddress } from "../../parts/address.js";
import { type Range, RangeForm } from "../../parts/charts/range.js";
import { todayInUtc } from "../../parts/days.js";
import { Select } from "../../parts/fields/select.js";
import { longMonthOf } from "../../parts/moment.js";
import { financialYearOf, listPeriods } from "./periods.js";

const MONTHS = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, "0"));
const nameMonth = (number: string) => longMonthOf(`2000-${number}`).replace(" 2000", "");

interface ChoosePeriodProps {
  /** The range in the address. */
  readonly chosen: Range;
  /** The range of the page's data. */
  readonly shown: Range;
}

/** Links to common periods, and forms for other dates and the financial year. The choice is kept in the address. */
export function ChoosePeriod({ chosen, shown }: ChoosePeriodProps) {
  const { query, change } = useAddress();
  const start = MONTHS.find((number) => number === query["fy"]) ?? "";
  const today = todayInUtc();
  const choose = (first: string) =>
    change({ fy: first, ...(first ? financialYearOf(today, first) : { from: "", to: "" }) });
  return (
    <>
      <nav class="periods" aria-label="Period">
        {listPeriods(today, start).map(([name, days]) => (
          <a
            key={name}
            href={`/console/?${new URLSearchParams({ ...days, ...(start && { fy: start }) })}`}
            aria-current={days?.from === chosen?.from && days?.to === chosen?.to ? "true" : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <details class="tools">
        <summary>Other dates, financial year</summary>
        <RangeForm shown={shown} />
        <div class="inline">
          <Select
            label="Financial year starts in"
            name="fy"
            options={MONTHS}
            labelOf={nameMonth}
            value={start}
            none="Not set"
            onChange={choose}
          />
        </div>
      </details>
    </>
  );
}
