import { run } from "../../../gateway/run.js";
import { Search } from "../../../parts/fields/search.js";
import { nameOf } from "../../../parts/names.js";
import { type Factor, FIND_FACTORS, figureOf, nameOfFactor, publicationOf } from "./factor.js";

interface FactorSearchProps {
  readonly chosen: Factor | null;
  readonly onChoose: (factor: Factor | null) => void;
}

/** Finds an emission factor by the words of its activity and region, and keeps the chosen one in view. */
export function FactorSearch({ chosen, onChoose }: FactorSearchProps) {
  return (
    <>
      <Search<Factor>
        label="Emission factor"
        name="factor"
        hint="Search by activity and country, e.g. “diesel UK”"
        chosen={chosen}
        find={findFactors}
        call={nameOfFactor}
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

async function findFactors(search: string, signal: AbortSignal): Promise<readonly Factor[]> {
  if (search === "") return [];
  const { emissionFactors } = await run(FIND_FACTORS, { search }, signal);
  return emissionFactors?.nodes ?? [];
}
