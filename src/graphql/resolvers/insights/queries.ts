const ANOMALIES = `anomalies(from: $from, to: $to) {
  all: items(first: 1, isAcknowledged: false) { totalCount }
  items(first: 1, isAcknowledged: false, severities: [$severity]) {
    nodes { anomalyId series { name } severity month value expected changePercent robustZ periods explanation recordIds }
  }
}`;

/** Operations that return the figures of insights, by name. */
export const INSIGHT_QUERIES: Readonly<Record<string, string>> = {
  InsightLargestChange: `query InsightLargestChange($range: DateRangeInput!, $by: ChangeSplit!) {
  emissions(range: $range) {
    change {
      co2eTonnes
      contributions(by: $by, first: 1, likeForLike: true) { series { name } previousCo2eTonnes currentCo2eTonnes co2eTonnes sharePercent }
    }
  }
}`,
  InsightTopContributor: `query InsightTopContributor($range: DateRangeInput!) {
  emissions(range: $range) { totalCo2eTonnes byFacility(first: 2) { facility { code name } co2eTonnes } }
}`,
  InsightCoverage: "query InsightCoverage { emissionKpis { coveragePercent } }",
  InsightTrend: "query InsightTrend { emissions { forecast { model { slope pValue direction } } } }",
  InsightBenchmark: `query InsightBenchmark($sector: String!) {
  emissionKpis { intensities { metric unit tonnesPerUnit } }
  benchmarks(sector: $sector) { items(first: 100) { sector intensity unit source sourceUrl sourceYear } }
}`,
  InsightEmissionAnomalies: `query InsightEmissionAnomalies($from: Month!, $to: Month!, $severity: Severity!) {
  emissions { ${ANOMALIES} }
}`,
  InsightCreditAnomalies: `query InsightCreditAnomalies($from: Month!, $to: Month!, $severity: Severity!) {
  credits { ${ANOMALIES} }
}`,
  InsightDeadline: `query InsightDeadline($id: UUID!) {
  deadline(id: $id) { framework title dueDate daysRemaining status sourceUrl }
}`,
  InsightIntensityTarget: `query InsightIntensityTarget($id: UUID!) {
  cctsPeriod(id: $id) { entity financialYear targetGei achievedGei surplus targetSourceUrl }
}`,
  InsightConcentration: `query InsightConcentration {
  credits { availableCredits byType(first: 1000) { creditType quantity } }
}`,
  InsightPriceMove: `query InsightPriceMove($latest: UUID!, $before: UUID!) {
  latest: marketPrice(id: $latest) { creditType exchange price currency asOf sourceUrl }
  before: marketPrice(id: $before) { price currency asOf }
}`,
};
