import { countOf } from "../../../domain/texts/count-of.js";
import type { InventoryGapCode } from "../../../generated/console.js";
import { todayInUtc } from "../../parts/days.js";
import { Moment, writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { linkToRecords } from "../../parts/record-links.js";
import { lineName } from "./names.js";
import type { Inventory } from "./read-inventory.js";

type Gaps = Inventory["gaps"];

interface Step {
  readonly label: (count: number) => string;
  readonly link: (inventory: Inventory, gaps: Gaps) => string;
}

/** Steps that close the gaps blocking an issue, in the order to take them. */
const STEPS: Partial<Record<InventoryGapCode, Step>> = {
  STREAM_UNMAPPED: {
    label: (number) => `Map ${countOf(number, "stream")} to lines`,
    link: () => "/console/inventory/streams",
  },
  LINE_UNJUSTIFIED: {
    label: (number) => `Add records or a reason for ${countOf(number, "line")}`,
    link: () => "#lines",
  },
  ENERGY_MISSING: {
    label: (number) => `Enter the electricity use in kWh for ${countOf(number, "facility")}`,
    link: ({ period }, gaps) => linkToRecords(period, { scope: "SCOPE_2", facility: gaps[0]?.facility }),
  },
  CLAIMS_EXCEED_CONSUMPTION: {
    label: (number) => `Withdraw claims above consumption at ${countOf(number, "facility")}`,
    link: ({ year }) => `/console/inventory/electricity?year=${year}`,
  },
};

const MAX_NAMES = 6;

/** Returns the names of lines, categories or facilities with gaps: up to 6, then "and 4 more". */
function nameGaps(gaps: Gaps): string {
  const names = gaps.map(
    ({ line, category, facility }) =>
      facility ?? (line ? lineName(line) : (category ?? "records without one")),
  );
  const rest = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/** The user's next steps, in order: close the gaps that block an issue, issue the inventory, verify and report it. */
export function NextSteps({ inventory }: { inventory: Inventory }) {
  const { year, period, gaps, completeness, latestIssue } = inventory;
  const steps = Object.entries(STEPS).flatMap(([code, step]) => {
    const all = gaps.filter((gap) => gap.code === code);
    // The last of more than 100 gaps has no scope, and says how many were left out.
    const found = all.filter(({ scope }) => scope !== null);
    const rest = all.find(({ scope }) => scope === null);
    return found.length > 0 ? [{ code, step, found, rest }] : [];
  });
  const isOver = period.to < todayInUtc();
  return (
    <section>
      <h2>Next steps</h2>
      {latestIssue && (
        <p>
          Issue {latestIssue.issue} ({nameOf(latestIssue.basis).toLowerCase()}) of{" "}
          <Moment at={latestIssue.issuedAt} />.
        </p>
      )}
      <ol>
        {steps.map(({ code, step, found, rest }) => (
          <li key={code}>
            <a href={step.link(inventory, found)}>{step.label(found.length)}</a>:{" "}
            <span class="quiet">
              {nameGaps(found)}
              {rest && `. ${rest.message}`}
            </span>
          </li>
        ))}
        {latestIssue === null && (
          <li>
            {!isOver ? (
              `Issue it once the year is over, after ${writeDay(period.to)}`
            ) : completeness.complete ? (
              <a href={`/console/inventory/issues?year=${year}`}>Issue the inventory of {year}</a>
            ) : (
              `Issue the inventory of ${year}`
            )}
          </li>
        )}
        {latestIssue && (
          <li>
            <a href={`/console/inventory/issues?year=${year}`}>Request verification or restate it</a>
          </li>
        )}
        {latestIssue && (
          <li>
            <a href={`/console/inventory/report?year=${year}`}>Download the report</a>
          </li>
        )}
      </ol>
    </section>
  );
}
