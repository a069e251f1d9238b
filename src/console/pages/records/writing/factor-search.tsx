import { type ConsoleFactorsQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Search } from "../../../parts/fields/search.js";
import { nameOf } from "../../../parts/names.js";

const FIND = graphql(`
  query ConsoleFactors($search: String!) {
    emissionFactors(search: $search, first: 100) {
      nodes { id activity detail region scope category gas factorExact unit source sourceYear isOwn }
    }
  }
`);

type FoundFactor = NonNullable<ConsoleFactorsQuery["emissionFactors"]>["nodes"][number];

/** What a form keeps of a factor that was chosen. */
export type ChosenFactor = Pick<FoundFactor, "id" | "activity" | "detail" | "scope" | "category" | "unit">;

interface FactorSearchProps {
  readonly chosen: ChosenFactor | null;
  readonly onChoose: (factor: ChosenFactor | null) => void;
}

/** Finds an emission factor by the words of its activity and region. */
export function FactorSearch({ chosen, onChoose }: FactorSearchProps) {
  return (
    <Search<ChosenFactor>
      label="Emission factor"
      name="factor"
      hint="Words of the activity and the region, such as diesel, or grid india"
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

/** Factors whose activity begins with what was typed come first, and of these what is burnt or bought before its supply chain. */
async function findFactors(search: string, signal: AbortSignal): Promise<readonly FoundFactor[]> {
  if (search === "") return [];
  const { emissionFactors } = await run(FIND, { search }, signal);
  const [first = ""] = search.toLowerCase().split(/\s+/);
  const rank = ({ activity, scope }: FoundFactor) =>
    `${activity.toLowerCase().startsWith(first) ? 0 : 1} ${scope}`;
  return (emissionFactors?.nodes ?? []).toSorted((one, other) => rank(one).localeCompare(rank(other)));
}
