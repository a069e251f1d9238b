import { type ConsoleFactorsQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Search } from "../../../parts/fields/search.js";
import { nameOf } from "../../../parts/names.js";

const FIND = graphql(`
  query ConsoleFactors($search: String!) {
    emissionFactors(search: $search, first: 20) {
      nodes { id activity detail region scope category gas factorExact unit source sourceYear isOwn }
    }
  }
`);

type FoundFactor = NonNullable<ConsoleFactorsQuery["emissionFactors"]>["nodes"][number];

/** The parts of a chosen factor that a form keeps. */
export type ChosenFactor = Pick<FoundFactor, "id" | "activity" | "detail" | "scope" | "category" | "unit">;

interface FactorSearchProps {
  readonly chosen: ChosenFactor | null;
  readonly onChoose: (factor: ChosenFactor | null) => void;
}

/** A field that searches for an emission factor. The gateway ranks what it finds. */
export function FactorSearch({ chosen, onChoose }: FactorSearchProps) {
  return (
    <Search<ChosenFactor>
      label="Emission factor"
      name="factor"
      hint="Search by activity and country, such as “diesel UK”"
      chosen={chosen}
      find={findFactors}
      call={({ activity, detail }) => [activity, detail].filter(Boolean).join(", ")}
      onChoose={onChoose}
    >
      {(factor) => <Found factor={factor as FoundFactor} />}
    </Search>
  );
}

function Found({ factor }: { factor: FoundFactor }) {
  const { activity, detail, region, scope, category, gas, factorExact, unit, source, sourceYear } = factor;
  return (
    <>
      <strong>{activity}</strong>
      {detail && `, ${detail}`}
      <br />
      {region}, {sourceYear} · {factorExact} kg {gas} per {unit}
      <br />
      {nameOf(scope)} · {nameOf(category)}
      <span class="quiet">{source}</span>
    </>
  );
}

async function findFactors(search: string, signal: AbortSignal): Promise<readonly FoundFactor[]> {
  if (search === "") return [];
  const { emissionFactors } = await run(FIND, { search }, signal);
  return emissionFactors?.nodes ?? [];
}
