import { useEffect, useState } from "preact/hooks";
import {
  type ConsoleRecalculateMutation,
  graphql,
  type RecalculationObstacle,
} from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { percent, writeSum } from "../../../parts/numbers.js";
import { ShownData } from "../../../parts/states.js";
import { type Factor, publicationOf } from "../factors/factor.js";
import { findEditions } from "../factors/other-edition.js";
import { type EmissionRecord, nameOfRecord } from "../read-records.js";

const RECALCULATE = graphql(`
  mutation ConsoleRecalculate($recordIds: [UUID!]!, $factorSet: FactorSetInput!, $dryRun: Boolean!) {
    recalculateEmissionRecords(
      input: { factorSet: $factorSet, filter: { recordIds: $recordIds }, dryRun: $dryRun }
    ) {
      changedCount
      unchangedCount
      obstacles { reason recordCount }
      total { before after percent }
      records { record { id } formerFactor { source sourceYear } }
    }
  }
`);

type Recalculation = NonNullable<ConsoleRecalculateMutation["recalculateEmissionRecords"]>;
type FactorSet = Pick<Factor, "source" | "sourceYear">;

const OBSTACLES: Readonly<Record<RecalculationObstacle, string>> = {
  AMOUNT_GIVEN: "have a given amount",
  BY_GAS: "were calculated from a released gas",
  NO_FACTOR: "have no matching factor in this edition",
  SEVERAL_FACTORS: "have several matching factors in this edition",
};

const recalculate = (recordIds: readonly string[], { source, sourceYear: year }: FactorSet) =>
  run(RECALCULATE, { recordIds, factorSet: { source, year }, dryRun: false });

/** Recalculates records with the factors of another edition, after showing what would change. */
export function RecalculateRecords({ records }: { records: readonly EmissionRecord[] }) {
  const sets = useFactorSets(records);
  const [chosen, choose] = useState<string>("");
  const set = sets?.get(chosen);
  const recordIds = records.map(({ id }) => id);
  const [first] = records;
  const name = records.length === 1 && first ? nameOfRecord(first) : `${records.length} records`;
  const send = async () => {
    if (set === undefined) throw new Error("Choose the edition to calculate with.");
    return (await recalculate(recordIds, set)).recalculateEmissionRecords;
  };
  return (
    <Confirm
      title={`Recalculate ${name}`}
      action="Recalculate"
      onConfirm={send}
      said={(done) =>
        done && {
          text: `Recalculated: ${describe(done)}`,
          ...(done.changedCount > 0 && { undo: () => revert(done) }),
        }
      }
    >
      {sets?.size === 0 ? (
        <p>There is no other edition of the factors that these records were calculated with.</p>
      ) : (
        <Select
          label="Factors of"
          name="factor_set"
          options={[...(sets?.keys() ?? [])]}
          call={(title) => title}
          none={sets === undefined ? "Loading…" : "Choose"}
          value={chosen}
          onChange={choose}
        />
      )}
      {set && <Preview key={chosen} recordIds={recordIds} set={set} />}
    </Confirm>
  );
}

/** Shows what a recalculation would change. */
function Preview({ recordIds, set }: { recordIds: readonly string[]; set: FactorSet }) {
  const factorSet = { source: set.source, year: set.sourceYear };
  const answer = useQuery(RECALCULATE, { recordIds, factorSet, dryRun: true });
  return (
    <div role="status">
      <ShownData answer={answer} as="short">
        {({ recalculateEmissionRecords: found }) =>
          found && (
            <>
              <p>{describe(found)}</p>
              <ul>
                {found.unchangedCount > 0 && <li>{found.unchangedCount} already use this edition.</li>}
                {found.obstacles.map(({ reason, recordCount }) => (
                  <li key={reason}>
                    {recordCount} {OBSTACLES[reason]}, and stay unchanged.
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </ShownData>
    </div>
  );
}

function describe({ changedCount, total }: Recalculation): string {
  if (changedCount === 0) return "No record changes.";
  const change = total.percent === null ? "" : ` (${percent(total.percent)})`;
  return `${changedCount} ${changedCount === 1 ? "record changes" : "records change"}, from ${writeSum(total.before)} to ${writeSum(total.after)} tCO₂e${change}.`;
}

/** Recalculates the changed records with the factors of the editions that they had before. */
async function revert({ records }: Recalculation): Promise<void> {
  const sets = new Map(records.map(({ formerFactor }) => [publicationOf(formerFactor), formerFactor]));
  for (const [publication, set] of sets) {
    const group = records.filter(({ formerFactor }) => publicationOf(formerFactor) === publication);
    await recalculate(
      group.map(({ record }) => record.id),
      set,
    );
  }
}

/** Finds the editions of the records' factors, newest first; undefined until they have arrived. */
function useFactorSets(records: readonly EmissionRecord[]): ReadonlyMap<string, FactorSet> | undefined {
  const [sets, setSets] = useState<ReadonlyMap<string, FactorSet>>();
  useEffect(() => {
    const leaving = new AbortController();
    const factors = new Map(
      records.flatMap(({ calculation }) => calculation?.factor ?? []).map((factor) => [factor.id, factor]),
    );
    Promise.all(
      [...factors.values()].map((factor) => findEditions(factor, leaving.signal).catch(() => [])),
    ).then((found) => {
      const editions = [...factors.values(), ...found.flat()].toSorted(
        (one, other) => other.sourceYear - one.sourceYear,
      );
      if (!leaving.signal.aborted)
        setSets(new Map(editions.map((factor) => [publicationOf(factor), factor])));
    });
    return () => leaving.abort();
  }, []);
  return sets;
}
