import { z } from "zod";
import { decimalShape } from "../../../catalogue/input/decimal.js";
import { upperCase } from "../../../catalogue/input/values.js";
import { CBAM_BASES, MAX_PRECURSORS } from "../../../domain/cbam/line.js";

const cnCode = z.string().meta({ description: "Code in the Combined Nomenclature, 4 to 8 digits." });
const mass = (what: string) =>
  decimalShape(`${what} in tonnes: above 0, at most 10^9, with at most 6 decimals.`);
const perTonne = (which: string, rule: string) =>
  decimalShape(
    `Actual ${which} emissions in tCO2e per tonne: below 1,000, with at most 9 decimals. ${rule}`,
  ).nullish();

/** Fields of imported goods in a request. */
export const goods = {
  cn_code: cnCode,
  country: z.string().meta({
    description: "Country of origin, ISO 3166-1 alpha-2, or `ZZ` for any other country.",
  }),
  mass_t: mass("Net mass"),
  basis: z.enum(CBAM_BASES).default("default"),
  route: z.string().nullish().meta({
    description: "Production route, such as `C`, if the default values do not specify one for the country.",
  }),
  good: z
    .string()
    .nullish()
    .meta({ description: "Distinguishes goods of the same code: `grey clinker` or `white clinker`." }),
  direct_tco2e_per_t: perTonne("direct", "Required for `actual`, and not allowed for `default`."),
  indirect_tco2e_per_t: perTonne("indirect", "Not allowed for `default`."),
  precursors: z
    .array(
      z
        .strictObject({
          cn_code: cnCode,
          mass_t: mass("Mass used for the goods"),
          route: z.string().nullish(),
        })
        .meta({ id: "CbamEstimatePrecursor" }),
    )
    .max(MAX_PRECURSORS)
    .nullish()
    .meta({ description: "Precursors of the goods. Not allowed for `default`." }),
  reduction_tco2e: decimalShape(
    "tCO2e to deduct for a carbon price paid abroad: 0 to 10^12 with at most 6 decimals.",
  ).nullish(),
};

const goodsShape = z.strictObject(goods);
const text = (decimal: number | string | null | undefined) => (decimal == null ? null : String(decimal));

/** Converts imported goods to the graph's input. */
export const toGoods = (given: z.output<typeof goodsShape>) => ({
  cnCode: given.cn_code,
  country: given.country,
  massT: String(given.mass_t),
  basis: upperCase(given.basis),
  route: given.route ?? null,
  good: given.good ?? null,
  directTco2ePerT: text(given.direct_tco2e_per_t),
  indirectTco2ePerT: text(given.indirect_tco2e_per_t),
  precursors: (given.precursors ?? []).map(({ cn_code, mass_t, route = null }) => ({
    cnCode: cn_code,
    massT: String(mass_t),
    route,
  })),
  reductionTco2e: text(given.reduction_tco2e),
});
