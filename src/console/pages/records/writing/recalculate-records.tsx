import { useState } from "preact/hooks";
import { type ConsoleRecalculateMutation, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useAnswer, useQuery } from "../../../gateway/use-query.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { percent, writeSum } from "../../../parts/numbers.js";
import { LoadedField } from "../../../parts/states.js";
import { type Factor, publicationOf } from "../factors/factor.js";
import { findEditions } from "../factors/other-edition.js";
import { describeRecords, type EmissionRecord } from "../read-records.js";

const RECALCULATE = graphql(`
  mutation ConsoleRecalculate($recordIds: [UUID!]!, $factorSet: FactorSetInput!, $dryRun: Boolean!) {
    recalculateEmissionRecords(input: { factorSet: $factorSet, filter: { recordIds: $recordIds }, dryRun: $dryRun }) {
      recordCount
      changedCount
      total { before after percent }
      records { record { id } formerFactor { source sourceYear } }
    }
  }
`);

type Recalculation = NonNullable<ConsoleRecalculateMutation["recalculateEmissionRecords"]>;
type FactorSet = Pick<Factor, "source" | "sourceYear">;

const variablesOf = (
  recordIds: readonly string[],
  { source, sourceYear: year }: FactorSet,
  dryRun = false,
) => ({
  recordIds,
  factorSet: { source, year },
  dryRun,
});

/** Recalculates records with another edition of their factors, after a preview of the changes. */
export function RecalculateRecords({ records }: { records: readonly EmissionRecord[] }) {
  const { data: sets } = useAnswer((signal) => findFactorSets(records, signal), "editions");
  const [chosen, choose] = useState("");
  const set = sets?.get(chosen);
  const recordIds = records.map(({ id }) => id);
  const send = async () => {
    if (set === undefined) throw new Error("Choose an edition.");
    return (await run(RECALCULATE, variablesOf(recordIds, set))).recalculateEmissionRecords;
  };
  return (
    <Confirm
      title={`Recalculate ${describeRecords(records)}`}
      action="Recalculate"
      onConfirm={send}
      successMessage={(done) =>
        done && {
          text: `Records recalculated with ${chosen}. ${describe(done)}`,
          ...(done.changedCount > 0 && { undo: () => revert(done) }),
        }
      }
    >
      <Select
        label="Edition of the factors"
        name="edition"
        options={[...(sets?.keys() ?? [])]}
        labelOf={(title) => title}
        none={sets ? "Choose" : "Loading…"}
        value={chosen}
        onChange={choose}
      />
      {set && <Preview key={chosen} variables={variablesOf(recordIds, set, true)} />}
    </Confirm>
  );
}

/** Describes what a recalculation would change. */
function Preview({ variables }: { variables: ReturnType<typeof variablesOf> }) {
  const answer = useQuery(RECALCULATE, variables);
  return (
    <div role="status">
      <LoadedField answer={answer} skeleton="short" field="recalculateEmissionRecords">
        {(found) => <p>{describe(found)}</p>}
      </LoadedField>
    </div>
  );
}

function describe({
  recordCount,
  changedCount,
  total: { before, after, percent: change },
}: Recalculation): string {
  const others = "already use this edition or have no unique match in it.";
  if (changedCount === 0) return `No changes: the records ${others}`;
  const amounts = `${changedCount} of ${recordCount} records: ${writeSum(before)} → ${writeSum(after)} tCO₂e`;
  const rest = changedCount < recordCount ? ` The others ${others}` : "";
  return `${amounts}${change === null ? "" : ` (${percent(change)})`}.${rest}`;
}

/** Recalculates the changed records with their previous factors. */
async function revert({ records }: Recalculation): Promise<void> {
  const sets = new Map(records.map(({ formerFactor }) => [publicationOf(formerFactor), formerFactor]));
  for (const [title, set] of sets) {
    const changed = records.filter(({ formerFactor }) => publicationOf(formerFactor) === title);
    const ids = changed.map(({ record }) => record.id);
    await run(RECALCULATE, variablesOf(ids, set));
  }
}

/** Finds the editions of the records' factors, newest first. */
async function findFactorSets(
  records: readonly EmissionRecord[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, FactorSet>> {
  const used = new Map(
    records.flatMap(({ calculation: of }) => (of?.factor ? [[of.factor.id, of.factor]] : [])),
  );
  const find = (factor: Factor) => findEditions(factor, signal).catch(() => []);
  const found = await Promise.all([...used.values()].map(find));
  const all = [...used.values(), ...found.flat()].toSorted((one, other) => other.sourceYear - one.sourceYear);
  return new Map(all.map((factor) => [publicationOf(factor), factor]));
}
