import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Edit } from "../../../parts/forms/edit.js";
import { changesOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import type { Period } from "../read-compliance.js";
import { checkPeriod, describePeriod, PeriodFields, type PeriodText, readPeriod } from "./period-fields.js";

const READ = graphql(`
  query ConsoleCctsPeriod($id: UUID!) {
    cctsPeriod(id: $id) {
      targetGeiExact targetSourceUrl achievedGeiExact outputExact averagePriceExact version
    }
  }
`);

const UPDATE = graphql(`
  mutation ConsoleUpdateCctsPeriod($input: UpdateCctsPeriodInput!) {
    updateCctsPeriod(input: $input) { period { id version } }
  }
`);

type EditablePeriod = Pick<
  Period,
  "targetGeiExact" | "targetSourceUrl" | "achievedGeiExact" | "outputExact" | "averagePriceExact" | "version"
>;

/** Edits the figures of a financial year. */
export function ChangePeriod({ period }: { period: Period }) {
  const { id, entity, financialYear } = period;
  const save = async (values: FormData, before: EditablePeriod) => {
    const { averagePrice, ...changes } = changesOf(toText(before), readPeriod(values));
    // An empty field removes the price.
    const price = averagePrice !== undefined && { averagePrice: averagePrice || null };
    if (!price && Object.keys(changes).length === 0) return;
    await run(UPDATE, { input: { id, ...changes, ...price, expectedVersion: before.version } });
    showMessage({ text: `${entity}, ${financialYear} saved.` });
  };
  return (
    <Edit<EditablePeriod>
      title={`${entity}, ${financialYear}`}
      row={period}
      read={async () => (await run(READ, { id })).cctsPeriod}
      save={save}
      check={checkPeriod}
      describe={(row) => describePeriod(toText(row))}
    >
      {(row) => <PeriodFields {...toText(row)} />}
    </Edit>
  );
}

const toText = (period: EditablePeriod): PeriodText => ({
  targetGei: period.targetGeiExact,
  targetSourceUrl: period.targetSourceUrl,
  achievedGei: period.achievedGeiExact,
  output: period.outputExact,
  averagePrice: period.averagePriceExact ?? "",
});
