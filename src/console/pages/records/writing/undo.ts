import { type EmissionRecordInput, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { type EmissionRecord, TEXT_NAMES } from "../read-records.js";
import { isMethane } from "./record-form.js";

export const CREATE = graphql(`
  mutation ConsoleAddRecords($input: [EmissionRecordInput!]!, $accept: [ImportQuestion!]) {
    createEmissionRecords(input: $input, accept: $accept) {
      createdCount
      records { id recordedOn co2eTonnes facility { name } version }
    }
  }
`);

/** Returns the amount of a record as an input. Refers to the factor by its id, so that the result is the same. */
export const amountOf = ({ activity, calculation, co2eTonnesExact }: EmissionRecord) => {
  if (activity === null) return { co2eTonnes: co2eTonnesExact };
  const { amountExact: amount, unit, gas, gwp, fossil } = activity;
  const by =
    gas === null
      ? { factorId: calculation?.factor?.id ?? null }
      : { gas, gwp, fossil: fossil ?? (isMethane(gas) ? false : null) };
  return { activity: { amount, unit, ...by } };
};

/** Returns a record as an input, without its amount and reference. */
export const partsOf = (record: EmissionRecord) => ({
  recordedOn: record.recordedOn,
  scope: record.scope,
  category: record.category,
  facility: record.facility?.code ?? null,
  marketBasedTonnes: record.marketBasedTonnesExact,
  energyKwh: record.energyKwhExact,
  biogenicCo2Tonnes: record.biogenicCo2TonnesExact,
  ...(Object.fromEntries(TEXT_NAMES.map((name) => [name, record[name]])) as Pick<
    EmissionRecord,
    (typeof TEXT_NAMES)[number]
  >),
});

/** Adds deleted records again with their previous values. */
export const restore = (records: readonly EmissionRecord[]) => {
  const input = records.map(
    (record): EmissionRecordInput => ({
      ...partsOf(record),
      ...amountOf(record),
      reference: record.reference,
    }),
  );
  return run(CREATE, { input, accept: ["RECORD_UNUSUAL"] });
};
