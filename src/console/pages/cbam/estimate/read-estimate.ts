import {
  type ConsoleCbamEstimateQuery,
  type ConsoleCbamEstimateQueryVariables,
  graphql,
} from "../../../../generated/console.js";

/** An estimate under the law, and the costs of the same imports in each year under the law and under the proposal. */
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
      total { embeddedEmissions certificates costEur certificatesToBuy costToBuyEur }
      byYear { year total { costEur costToBuyEur } }
      sources { kind source sourceUrl }
      rulesetAsOf
      rulesetDigest
    }
    proposal: cbamEstimate(input: $proposal) { byYear { year total { costEur costToBuyEur } } }
  }
`);

/** An estimate, with the variables of its query. */
export type Estimated = ConsoleCbamEstimateQuery & { readonly variables: ConsoleCbamEstimateQueryVariables };

/** Certificates for imports under the law. */
export type CbamEstimate = NonNullable<ConsoleCbamEstimateQuery["cbamEstimate"]>;

/** Certificates for goods of one kind. */
export type CbamLine = CbamEstimate["lines"][number];
