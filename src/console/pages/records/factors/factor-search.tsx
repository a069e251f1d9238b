import { run } from "../../../gateway/run.js";
import { Search } from "../../../parts/fields/search.js";
import { nameOf } from "../../../parts/names.js";
import { type Factor, FIND_FACTORS, figureOf, nameOfFactor, publicationOf } from "./factor.js";

interface FactorSearchProps {
  readonly chosen: Factor | null;
  /** Date of the record, `YYYY-MM-DD`. Editions for it come first. Empty if unknown. */
  readonly day: string;
  /** Country whose factors come first, unless the search names a region. Null if unknown. */
  readonly country: string | null;
  readonly onChoose: (factor: Factor | null) => void;
}

/** Searches emission factors by activity and region, and shows the chosen one. */
export function FactorSearch({ chosen, day, country, onChoose }: FactorSearchProps) {
  const find = async (search: string, signal: AbortSignal): Promise<readonly Factor[]> => {
    if (search === "") return [];
    const variables = { search, on: day || null, preferRegion: country };
    return (await run(FIND_FACTORS, variables, signal)).emissionFactors?.nodes ?? [];
  };
  return (
    <>
      <Search<Factor>
        label="Emission factor"
        name="factor"
        hint="Search by activity and country, e.g. “diesel UK”"
        chosen={chosen}
        find={find}
        labelOf={nameOfFactor}
        onChoose={onChoose}
      >
        {(factor) => <Found factor={factor} />}
      </Search>
      {chosen && <p class="chosen">{describe(chosen)}</p>}
    </>
  );
}

const describe = (factor: Factor) =>
  [nameOfFactor(factor), factor.region, factor.sourceYear, publicationOf(factor), figureOf(factor)].join(
    " · ",
  );

function Found({ factor }: { factor: Factor }) {
  const { activity, detail, region, scope, category, source, sourceYear } = factor;
  return (
    <>
      <strong>{activity}</strong>
      {detail && `, ${detail}`}
      <br />
      {region}, {sourceYear} · {figureOf(factor)}
      <br />
      {nameOf(scope)} · {nameOf(category)}
      <span class="quiet">{source}</span>
    </>
  );
}
