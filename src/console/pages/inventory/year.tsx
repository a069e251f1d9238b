import type { ComponentChildren } from "preact";
import { useAddress } from "../../parts/address.js";
import { thisYear } from "../../parts/days.js";
import { Select } from "../../parts/fields/select.js";

const FIRST_YEAR = 1990;

/** The last chosen year. Kept here, because links in the sidebar do not contain it. */
let lastChosen: number | undefined;

/** Returns the year in the address if it is from 1990 to 2100, else the last chosen year, else last year. */
export function useYear(): number {
  const year = Number(useAddress().query["year"]);
  if (Number.isInteger(year) && year >= FIRST_YEAR && year <= 2100) lastChosen = year;
  return lastChosen ?? thisYear() - 1;
}

/** The bar where users choose the year, with the page's buttons. */
export function YearBar({ year, children }: { year: number; children?: ComponentChildren }) {
  const { change } = useAddress();
  const past = Array.from({ length: thisYear() - FIRST_YEAR + 1 }, (_, index) => thisYear() - index);
  const years = past.includes(year) ? past : [year, ...past];
  return (
    <div class="row year">
      <div class="inline">
        <Select
          label="Year"
          name="year"
          options={years.map(String)}
          value={String(year)}
          onChange={(chosen) => change({ year: chosen, after: "" })}
        />
      </div>
      {children}
    </div>
  );
}
