import { estimateCbam } from "../../../actions/cbam/estimate-cbam.js";
import { findGoods } from "../../../actions/cbam/goods.js";
import { CBAM_SOURCE_KINDS } from "../../../domain/cbam/cbam-rules.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireSafe, requireSize } from "../../paging/arguments.js";
import { toFloat } from "../floats.js";

/** Estimates of the certificates for imports under the EU's Carbon Border Adjustment Mechanism. */
export const cbam = {
  Query: {
    cbamEstimate: (_parent, { input }, { request }) => estimateCbam(request, input),
    cbamGoods: (_parent, { search, first }) => findGoods(search, requireSize("first", first)),
  },
  CbamEstimate: {
    certificatePrice: ({ price }) => price,
    sources: ({ rules }) => CBAM_SOURCE_KINDS.map((kind) => ({ kind, ...rules.sources[kind] })),
    rulesetAsOf: ({ rules }) => rules.asOf,
    rulesetDigest: ({ rules }) => rules.digest,
  },
  CbamPrice: {
    eur: ({ eur }) => Number(eur),
    eurExact: ({ eur }) => eur,
    source: ({ source }) => source?.source ?? null,
    sourceUrl: ({ source }) => source?.sourceUrl ?? null,
  },
  CbamDeMinimis: {
    massT: ({ massT }) => Number(massT),
    massTExact: ({ massT }) => massT,
    thresholdT: ({ thresholdT }) => Number(thresholdT),
  },
  CbamLine: {
    countryUsed: ({ embedded }) => embedded.countryUsed,
    specificEmbedded: ({ embedded }) => Number(embedded.specific),
    defaultValue: ({ embedded }) => toFloat(embedded.defaultValue),
    markup: ({ embedded }) => toFloat(embedded.markup),
    directEmissions: ({ embedded }) => toFloat(embedded.direct),
    indirectEmissions: ({ embedded }) => toFloat(embedded.indirect),
    embeddedEmissions: ({ embedded }) => Number(embedded.total),
    embeddedEmissionsExact: ({ embedded }) => embedded.total,
    benchmark: ({ benchmark }) => toFloat(benchmark),
    cbamFactor: ({ cbamFactor }) => Number(cbamFactor),
    freeAllocationAdjustment: ({ freeAllocationAdjustment }) => Number(freeAllocationAdjustment),
    freeAllocationAdjustmentExact: ({ freeAllocationAdjustment }) => freeAllocationAdjustment,
    certificates: ({ certificates }) => Number(certificates),
    certificatesExact: ({ certificates }) => certificates,
    costEur: ({ costEur }) => Number(costEur),
    costEurExact: ({ costEur }) => costEur,
  },
  CbamTotal: {
    embeddedEmissions: ({ embeddedEmissions }) => Number(embeddedEmissions),
    embeddedEmissionsExact: ({ embeddedEmissions }) => embeddedEmissions,
    certificates: ({ certificates }) => Number(certificates),
    certificatesExact: ({ certificates }) => certificates,
    costEur: ({ costEur }) => Number(costEur),
    costEurExact: ({ costEur }) => costEur,
    certificatesToBuy: ({ certificatesToBuy }) => requireSafe("certificatesToBuy", certificatesToBuy),
    costToBuyEur: ({ costToBuyEur }) => Number(costToBuyEur),
    costToBuyEurExact: ({ costToBuyEur }) => costToBuyEur,
  },
} satisfies Resolvers;
