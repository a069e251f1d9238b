import { z } from "zod";
import { MOST_RECORDS } from "../../../domain/emissions/record-rules.js";
import { snakeCase } from "../../../domain/texts/snake-case.js";
import type { Override } from "../../catalogued.js";
import { shapeAt } from "../../problems.js";

interface Created {
  readonly records: readonly { readonly id: string; readonly version: number }[];
  readonly created: number;
}

interface Result {
  readonly createEmissionRecords: { readonly createdCount: number };
}

const isSeveral = (given: unknown): given is { readonly records: readonly unknown[] } =>
  typeof given === "object" && given !== null && "records" in given;

/** The body may be a record, and then the answer is the record. */
export const createEmissionRecords: Override = ({ placeOf: _, ...derived }) => {
  const record = shapeAt(derived.input.body as z.ZodType, ["records", 0]) as z.ZodType;
  const several = z.strictObject({ records: z.array(record).min(1).max(MOST_RECORDS) });
  const example = derived.example as Created;
  return {
    ...derived,
    input: { body: z.union([several, record]) },
    variables: (input) =>
      derived.variables(isSeveral(input.body) ? input : { ...input, body: { records: [input.body] } }),
    problemPath(path, given) {
      const inList = path.replace(/^input(?=\[|$)/, "records");
      return snakeCase(isSeveral(given) ? inList : inList.replace(/^records\[0\]\./, ""));
    },
    data: z.union([shapeAt(derived.data, ["records", 0]) as z.ZodType, derived.data]),
    example: example.records[0],
    reshape(result, given) {
      const created = derived.reshape(result, given) as Created;
      const [only] = created.records;
      return isSeveral(given) || !only ? created : only;
    },
    version: (data) => (isSeveral(data) ? undefined : (data as Created["records"][number]).version),
    creates: "sometimes",
    createdId(data, result) {
      const { createEmissionRecords } = result as Result;
      if (createEmissionRecords.createdCount === 0) return undefined;
      return isSeveral(data) ? null : (data as Created["records"][number]).id;
    },
  };
};
