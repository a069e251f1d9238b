import { z } from "zod";
import { CBAM_SECTORS } from "../../../domain/cbam/cbam-rules.js";
import { CBAM_NOTICES } from "../../../domain/cbam/line.js";
import {
  type CbamLineFieldsFragment,
  type CbamTotalFieldsFragment,
  graphql,
} from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";

export const exact = z.string().meta({ description: "The same figure at full precision." });
const notices = z.array(z.enum(CBAM_NOTICES)).meta({ description: "Warnings about the line." });

const sourceShape = z
  .object({
    source: z.string().meta({ description: "Title of the publication." }),
    source_url: z.url().meta({ description: "Link to the publication." }),
  })
  .meta({ id: "CbamSource" });
/** Publications by the kind of figure they support. */
export type Sources = ReadonlyMap<string, z.infer<typeof sourceShape>>;

/** Shape of the result for one line of goods. */
export const lineShape = z
  .object({
    cn_code: z.string().meta({ description: "As sent." }),
    good: z.string().meta({ description: "Name of the good in the tables of values." }),
    sector: z.enum(CBAM_SECTORS).meta({ description: "Group of the good." }),
    country_used: z
      .string()
      .meta({ description: "Country whose values were used; `ZZ` for those of all other countries." }),
    route: z
      .string()
      .nullable()
      .meta({ description: "Production route used; null if the good has none, and for an exempt origin." }),
    specific_embedded: z.number().meta({ description: "tCO2e per tonne of goods, including any mark-up." }),
    default_value: z.number().nullable().meta({
      description: "tCO2e per tonne, before the mark-up; null for actual emissions and for an exempt origin.",
    }),
    markup: z
      .number()
      .nullable()
      .meta({ description: "Mark-up as a share of the default value; null if `default_value` is null." }),
    embedded_emissions: z
      .object({
        direct: z
          .number()
          .nullable()
          .meta({ description: "Direct emissions; null if they are not known separately." }),
        indirect: z.number().nullable().meta({
          description: "Indirect emissions; null if they do not count or are not known separately.",
        }),
        total: z.number().meta({ description: "Embedded emissions." }),
        total_exact: exact,
      })
      .meta({ id: "CbamEmbedded", description: "tCO2e. The total may differ from direct + indirect." }),
    benchmark: z
      .number()
      .nullable()
      .meta({ description: "tCO2e per tonne of goods; null for an exempt origin." }),
    cbam_factor: z.number().meta({ description: "Share of free allocation still granted." }),
    free_allocation_adjustment: z.number().meta({ description: "tCO2e." }),
    free_allocation_adjustment_exact: exact,
    certificates: z.number().meta({ description: "Rounded half away from zero to 3 decimals." }),
    certificates_exact: exact,
    cost_eur: z.number().meta({ description: "Euros for the rounded certificates, rounded to cents." }),
    cost_eur_exact: exact,
    notices,
    sources: z
      .array(sourceShape)
      .meta({ description: "Publications the figures come from; empty for an exempt origin." }),
  })
  .meta({ id: "CbamLine" });

/** Fields of the totals of lines. */
const sums = {
  embedded_emissions: z.number().meta({ description: "tCO2e." }),
  embedded_emissions_exact: exact,
  certificates: z.number().meta({ description: "Certificates of one tonne each." }),
  certificates_exact: exact,
  cost_eur: z.number().meta({ description: "Euros for the certificates." }),
  cost_eur_exact: exact,
  certificates_to_buy: z
    .int()
    .meta({ description: "Certificates without those for exempt goods, rounded up." }),
  cost_to_buy_eur: z.number().meta({ description: "Euros for the whole certificates to buy." }),
  cost_to_buy_eur_exact: exact,
};

export const totalShape = z
  .object(sums)
  .meta({ id: "CbamTotal", description: "Totals of the rounded lines." });

const SOURCE = {
  source: "Implementing Regulation (EU) 2025/2621",
  source_url: "https://eur-lex.europa.eu/eli/reg_impl/2025/2621/oj",
};

export const LINE_EXAMPLE: z.infer<typeof lineShape> = {
  cn_code: "72083600",
  good: "hot-rolled flat",
  sector: "iron_steel",
  country_used: "IN",
  route: "C",
  specific_embedded: 4.708,
  default_value: 4.28,
  markup: 0.1,
  embedded_emissions: { direct: 470.8, indirect: null, total: 470.8, total_exact: "470.8" },
  benchmark: 1.37,
  cbam_factor: 0.975,
  free_allocation_adjustment: 133.575,
  free_allocation_adjustment_exact: "133.575",
  certificates: 337.225,
  certificates_exact: "337.225",
  cost_eur: 27_760.36,
  cost_eur_exact: "27760.36",
  notices: [],
  sources: [SOURCE],
};

export const SUMS_EXAMPLE: z.infer<typeof totalShape> = {
  embedded_emissions: 470.8,
  embedded_emissions_exact: "470.8",
  certificates: 337.225,
  certificates_exact: "337.225",
  cost_eur: 27_760.36,
  cost_eur_exact: "27760.36",
  certificates_to_buy: 338,
  cost_to_buy_eur: 27_824.16,
  cost_to_buy_eur_exact: "27824.16",
};

graphql(`
  fragment CbamLineFields on CbamLine {
    cnCode good sector countryUsed route specificEmbedded defaultValue markup directEmissions indirectEmissions
    embeddedEmissions embeddedEmissionsExact benchmark cbamFactor freeAllocationAdjustment
    freeAllocationAdjustmentExact certificates certificatesExact costEur costEurExact notices sources
  }
`);
graphql(`
  fragment CbamTotalFields on CbamTotal {
    embeddedEmissions embeddedEmissionsExact certificates certificatesExact costEur costEurExact certificatesToBuy costToBuyEur
    costToBuyEurExact
  }
`);

/** Converts a line from the graph's spelling to REST's. */
export const describeLine = (line: CbamLineFieldsFragment, sources: Sources): z.infer<typeof lineShape> => ({
  cn_code: line.cnCode,
  good: line.good,
  sector: lowerCase(line.sector),
  country_used: line.countryUsed,
  route: line.route ?? null,
  specific_embedded: line.specificEmbedded,
  default_value: line.defaultValue ?? null,
  markup: line.markup ?? null,
  embedded_emissions: {
    direct: line.directEmissions ?? null,
    indirect: line.indirectEmissions ?? null,
    total: line.embeddedEmissions,
    total_exact: line.embeddedEmissionsExact,
  },
  benchmark: line.benchmark ?? null,
  cbam_factor: line.cbamFactor,
  free_allocation_adjustment: line.freeAllocationAdjustment,
  free_allocation_adjustment_exact: line.freeAllocationAdjustmentExact,
  certificates: line.certificates,
  certificates_exact: line.certificatesExact,
  cost_eur: line.costEur,
  cost_eur_exact: line.costEurExact,
  notices: [...line.notices],
  sources: line.sources.flatMap((kind) => sources.get(kind) ?? []),
});

/** Converts totals from the graph's spelling to REST's. */
export const describeSums = (total: CbamTotalFieldsFragment): z.infer<typeof totalShape> => ({
  embedded_emissions: total.embeddedEmissions,
  embedded_emissions_exact: total.embeddedEmissionsExact,
  certificates: total.certificates,
  certificates_exact: total.certificatesExact,
  cost_eur: total.costEur,
  cost_eur_exact: total.costEurExact,
  certificates_to_buy: total.certificatesToBuy,
  cost_to_buy_eur: total.costToBuyEur,
  cost_to_buy_eur_exact: total.costToBuyEurExact,
});
