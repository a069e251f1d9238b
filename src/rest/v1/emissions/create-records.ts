import { z } from "zod";
import { shapeAt } from "../../../catalogue/problems.js";
import { IMPORT_QUESTIONS } from "../../../domain/emissions/questions.js";
import { MAX_RECORDS } from "../../../domain/emissions/record-rules.js";
import { snakeCase } from "../../../domain/texts/snake-case.js";
import type { Override } from "../../catalogued.js";

interface Created {
  readonly records: readonly { readonly id: string; readonly version: number }[];
  readonly created: number;
}

interface Result {
  readonly createEmissionRecords: { readonly createdCount: number };
}

const isSeveral = (given: unknown): given is { readonly records: readonly unknown[] } =>
  typeof given === "object" && given !== null && "records" in given;

/** Also accepts a single record as the body, and then returns a single record. */
export const createEmissionRecords: Override = ({ placeOf: _, ...derived }) => {
  const record = shapeAt(derived.input.body as z.ZodType, ["records", 0]) as z.ZodType;
  const { description } = (derived.input.body as z.ZodObject<{ accept: z.ZodType }>).shape.accept;
  const accept = z
    .array(z.enum(IMPORT_QUESTIONS))
    .optional()
    .meta({ ...(description && { description }) });
  const several = z.strictObject({ records: z.array(record).min(1).max(MAX_RECORDS), accept });
  const one = (record as z.ZodObject).extend({ accept });
  const example = derived.example as Created;
  return {
    ...derived,
    input: { body: z.union([several, one]) },
    variables(input) {
      if (isSeveral(input.body)) return derived.variables(input);
      const { accept, ...only } = input.body as { readonly accept?: unknown };
      return derived.variables({ ...input, body: { records: [only], accept } });
    },
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
