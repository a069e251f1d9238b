import { createCounterparts } from "../../../../domain/ghg/factor-counterparts.js";
import { run } from "../../../gateway/run.js";
import { useAnswer } from "../../../gateway/use-query.js";
import { Button } from "../../../parts/button.js";
import { type Factor, FIND_FACTORS, figureOf, isOfOneSeries, publicationOf } from "./factor.js";

interface OtherEditionProps {
  readonly chosen: Factor;
  /** Date of the record, `YYYY-MM-DD`; empty while the user types it. */
  readonly day: string;
  readonly onChoose: (factor: Factor) => void;
}

/** Suggests the edition of the chosen factor for the record's date, if it is a different one. */
export function OtherEdition({ chosen, day, onChoose }: OtherEditionProps) {
  const { data, error, isLoading } = useAnswer((signal) => findEditions(chosen, signal), chosen.id);
  const year = Number(day.slice(0, 4));
  // Offers nothing if the search fails.
  const best = data && year && !isLoading && error === undefined ? editionOf(data, year) : undefined;
  return (
    <div role="status">
      {best && best.sourceYear !== chosen.sourceYear && (
        <p class="note">
          This factor has another edition for {year}: {publicationOf(best)}, {figureOf(best)}.{" "}
          <Button look="link" label="Use this edition" onClick={() => onChoose(best)} />
        </p>
      )}
    </div>
  );
}

/** Finds the editions of a factor in its publication, including the given one. */
export async function findEditions(factor: Factor, signal: AbortSignal): Promise<readonly Factor[]> {
  const { activity: search, region, scope, unit } = factor;
  const { emissionFactors } = await run(FIND_FACTORS, { search, region, scope, unit }, signal);
  const found = createCounterparts(emissionFactors?.nodes ?? [])(factor);
  return found.filter((other) => isOfOneSeries(factor, other));
}

/** Returns the latest edition up to a year, or else the oldest. */
function editionOf(editions: readonly Factor[], year: number): Factor | undefined {
  const byYear = editions.toSorted((one, other) => one.sourceYear - other.sourceYear);
  return byYear.findLast(({ sourceYear }) => sourceYear <= year) ?? byYear[0];
}
