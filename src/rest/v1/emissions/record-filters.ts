import { z } from "zod";
import { EARLIEST_DAY, isSupportedDate, LATEST_DAY, SUPPORTED_DATE } from "../../../domain/window.js";
import { scopeShape, upperCase } from "../calculations/factor.js";

const dayShape = z.string().refine(isSupportedDate, { error: `expected ${SUPPORTED_DATE}` });

/** The shapes of what says which records are wanted. */
export const recordFilters = {
  from: dayShape.meta({ format: "date", description: "Only records of this day or later." }),
  to: dayShape.meta({ format: "date", description: "Only records of this day or earlier." }),
  scope: scopeShape,
  facility: z.string().meta({ description: "Only records of the facility with this code." }),
  category: z.string().meta({ description: "Only records of this category, spelled exactly." }),
  reference: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat())
    .meta({
      description: "Only records with this reference, spelled exactly. May be repeated, up to 50 times.",
    }),
  q: z
    .string()
    .meta({ description: "Only records whose reference, category, source or note contains this text." }),
};

type RecordFilters = {
  readonly [Name in keyof typeof recordFilters]?: z.infer<(typeof recordFilters)[Name]> | undefined;
};

/** A filter of records as the graph takes it. */
export const toRecordFilter = ({
  scope,
  facility,
  category,
  reference,
}: Pick<RecordFilters, "scope" | "facility" | "category" | "reference">) => ({
  scopes: scope ? [upperCase(scope)] : null,
  facilityCodes: facility === undefined ? null : [facility],
  categories: category === undefined ? null : [category],
  references: reference ?? null,
});

/** Which records are wanted, as the graph takes it. */
export const toRecordSearch = ({ from, to, q, ...filter }: RecordFilters) => ({
  range: from || to ? { from: from ?? EARLIEST_DAY, to: to ?? LATEST_DAY } : null,
  filter: toRecordFilter(filter),
  search: q ?? null,
});
