import {
  type ConsoleCbamEstimateQuery,
  type ConsoleCbamEstimateQueryVariables,
  graphql,
} from "../../../../generated/console.js";

/** Imports by the law, and the costs of the same imports in each year by the law and by the proposal. */
export const ESTIMATE = graphql(`
  query ConsoleCbamEstimate($law: CbamEstimateInput!, $proposal: CbamEstimateInput!) {
    cbamEstimate(input: $law) {
      year
      certificatePrice { eur period source sourceUrl }
      deMinimis { massT thresholdT isExempt }
      lines {
        good
        countryUsed
        route
        specificEmbedded
        defaultValue
        markup
        embeddedEmissions
        benchmark
        cbamFactor
        freeAllocationAdjustment
        certificates
        costEur
        notices
      }
      total { embeddedEmissions certificates costEur certificatesToBuy }
      byYear { year total { costEur } }
      sources { kind source sourceUrl }
      rulesetAsOf
      rulesetDigest
    }
    proposal: cbamEstimate(input: $proposal) { byYear { year total { costEur } } }
  }
`);

/** An estimate, with what it was asked by. */
export type Estimated = ConsoleCbamEstimateQuery & { readonly variables: ConsoleCbamEstimateQueryVariables };

/** What imports need by the law. */
export type CbamEstimate = NonNullable<ConsoleCbamEstimateQuery["cbamEstimate"]>;

/** What goods of one kind need. */
export type CbamLine = CbamEstimate["lines"][number];
