import { z } from "zod";
import { decimalShape } from "../../../catalogue/input/decimal.js";
import { upperCase } from "../../../catalogue/input/values.js";
import { CBAM_SCENARIOS } from "../../../domain/cbam/cbam-rules.js";
import { MAX_CBAM_LINES } from "../../../domain/cbam/line.js";
import { CBAM_QUARTERS } from "../../../domain/cbam/price.js";
import { FIRST_CBAM_YEAR, LAST_CBAM_YEAR } from "../../../domain/cbam/years.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { goods, toGoods } from "./goods.js";
import {
  describeLine,
  describeSums,
  exact,
  LINE_EXAMPLE,
  lineShape,
  SUMS_EXAMPLE,
  totalShape,
} from "./line.js";

const YEARS = `${FIRST_CBAM_YEAR} to ${LAST_CBAM_YEAR}.`;

const rulesetShape = z
  .object({
    as_of: z.iso.date().meta({ description: "Date of the CBAM figures used." }),
    digest: z.string().meta({ description: "SHA-256 of the CBAM figures used." }),
  })
  .meta({ id: "CbamRuleset", description: "Date and SHA-256 of the CBAM figures used." });
const RULESET_EXAMPLE: z.infer<typeof rulesetShape> = {
  as_of: "2026-11-20",
  digest: "sha256:0f1d7f2e4a3c5b6d8e9f00112233445566778899aabbccddeeff001122334455",
};

const priceShape = z
  .object({
    eur: z.number().meta({ description: "Euros per certificate." }),
    eur_exact: exact,
    period: z.string().nullable().meta({
      description: "Quarter of the published price, such as `2026-Q3`; null if the caller gave the price.",
    }),
    source: z
      .string()
      .nullable()
      .meta({ description: "Title of the publication; null if the caller gave the price." }),
    source_url: z
      .url()
      .nullable()
      .meta({ description: "Link to the publication; null if the caller gave the price." }),
  })
  .meta({ id: "CbamPrice" });

const deMinimisShape = z
  .object({
    mass_t: z
      .number()
      .meta({ description: "Net mass in tonnes that counts: without hydrogen and goods of exempt origin." }),
    mass_t_exact: exact,
    threshold_t: z
      .number()
      .meta({ description: "Tonnes in a calendar year up to which an importer is exempt." }),
    exempt: z.boolean().meta({
      description:
        "True if the goods that count need no certificates. False if all goods are hydrogen, which is never exempt.",
    }),
  })
  .meta({ id: "CbamDeMinimis" });

/** Estimates the CBAM certificates for imports. Stores nothing. */
export const cbamEstimate = endpoint({
  method: "POST",
  path: "/calc/cbam",
  summary: "Certificates that 1 to 200 imports need under the EU's Carbon Border Adjustment Mechanism",
  scope: [],
  operation: graphql(`
    query RestCbamEstimate($input: CbamEstimateInput!) {
      cbamEstimate(input: $input) {
        year scenario rulesetAsOf rulesetDigest
        certificatePrice { eur eurExact period source sourceUrl }
        deMinimis { massT massTExact thresholdT isExempt }
        lines { ...CbamLineFields }
        total { ...CbamTotalFields }
        byYear { year lines { ...CbamLineFields } total { ...CbamTotalFields } }
        sources { kind source sourceUrl }
      }
    }
  `),
  body: z.strictObject({
    year: z.int32().meta({ description: `Year of import, ${YEARS}` }),
    quarter: z
      .enum(CBAM_QUARTERS)
      .nullish()
      .meta({ description: "Quarter of import, which determines the price in 2026." }),
    lines: z
      .array(z.strictObject(goods).meta({ id: "CbamEstimateLine" }))
      .min(1)
      .max(MAX_CBAM_LINES),
    certificate_price_eur: decimalShape(
      "Euros per certificate, instead of a published price: below 10^6, with at most 6 decimals.",
    ).nullish(),
    scenario: z
      .enum(CBAM_SCENARIOS)
      .default("law")
      .meta({ description: "Phase-out to assume. `com_2026_616` is a proposal, not law." }),
    years: z
      .array(z.int32())
      .min(1)
      .max(LAST_CBAM_YEAR - FIRST_CBAM_YEAR + 1)
      .nullish()
      .meta({ description: `Years for \`by_year\`, ${YEARS}` }),
  }),
  variables: ({ body }) => ({
    input: {
      year: body.year,
      quarter: body.quarter ?? null,
      lines: body.lines.map(toGoods),
      certificatePriceEur: body.certificate_price_eur == null ? null : String(body.certificate_price_eur),
      scenario: upperCase(body.scenario),
      years: body.years ?? null,
    },
  }),
  data: z
    .object({
      year: z.int().meta({ description: "Year of import." }),
      scenario: z.enum(CBAM_SCENARIOS).meta({ description: "Phase-out of free allocation." }),
      certificate_price: priceShape,
      de_minimis: deMinimisShape,
      lines: z
        .array(lineShape)
        .meta({ description: "Result for each line of goods, in the order of the request." }),
      total: totalShape,
      by_year: z
        .array(
          z
            .object({
              year: z.int().meta({ description: "Year of import." }),
              lines: z
                .array(lineShape)
                .meta({ description: "Result for each line of goods, in the order of the request." }),
              total: totalShape,
            })
            .meta({ id: "CbamYear" }),
        )
        .meta({ description: "The same imports in each year of `years`." }),
      ruleset: rulesetShape,
    })
    .meta({ id: "CbamEstimate" }),
  example: {
    year: 2026,
    scenario: "law",
    certificate_price: {
      eur: 82.32,
      eur_exact: "82.32",
      period: "2026-Q3",
      source: "European Commission",
      source_url:
        "https://taxation-customs.ec.europa.eu/carbon-border-adjustment-mechanism/price-cbam-certificates_en",
    },
    de_minimis: { mass_t: 100, mass_t_exact: "100", threshold_t: 50, exempt: false },
    lines: [LINE_EXAMPLE],
    total: SUMS_EXAMPLE,
    by_year: [],
    ruleset: RULESET_EXAMPLE,
  },
  reshape({ cbamEstimate: estimate }) {
    const { certificatePrice: price, deMinimis } = estimate;
    const sources = new Map(
      estimate.sources.map(({ kind, source, sourceUrl }) => [kind, { source, source_url: sourceUrl }]),
    );
    const describe = ({ lines, total }: Pick<typeof estimate, "lines" | "total">) => ({
      lines: lines.map((line) => describeLine(line, sources)),
      total: describeSums(total),
    });
    return {
      year: estimate.year,
      scenario: estimate.scenario === "LAW" ? "law" : "com_2026_616",
      certificate_price: {
        eur: price.eur,
        eur_exact: price.eurExact,
        period: price.period ?? null,
        source: price.source ?? null,
        source_url: price.sourceUrl ?? null,
      },
      de_minimis: {
        mass_t: deMinimis.massT,
        mass_t_exact: deMinimis.massTExact,
        threshold_t: deMinimis.thresholdT,
        exempt: deMinimis.isExempt,
      },
      ...describe(estimate),
      by_year: estimate.byYear.map((path) => ({ year: path.year, ...describe(path) })),
      ruleset: { as_of: estimate.rulesetAsOf, digest: estimate.rulesetDigest },
    };
  },
});
