/** The operations of the catalogue that answers are made of. All read, as the user who asks; a model has no others. */
export const CHAT_OPERATIONS = [
  "getEmissionSummary",
  "listEmissionRecords",
  "listEmissionAnomalies",
  "getEmissionForecast",
  "getEmissionKpis",
  "listFacilities",
  "getCreditPortfolio",
  "listSales",
  "listCreditRetirements",
  "getCreditForecast",
  "listInstruments",
  "getMarketForecast",
  "listDeadlines",
  "listFrameworks",
  "listEmissionFactors",
] as const;
