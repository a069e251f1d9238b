import { graphql } from "../../generated/chat.js";

// All queries of the chat. Each runs as the user who asks, so scopes and tenant hold; none writes.

export const emissionsQuery = graphql(`
  query ChatEmissions($range: DateRangeInput, $filter: EmissionRecordFilter) {
    emissions(range: $range, filter: $filter) {
      from
      to
      totalCo2eTonnes
      totalCo2eTonnesExact
      recordCount
      byScope { scope co2eTonnes }
      trend { isGap }
    }
  }
`);

export const changeQuery = graphql(`
  query ChatEmissionChange($range: DateRangeInput, $filter: EmissionRecordFilter) {
    emissions(range: $range, filter: $filter) {
      from
      to
      totalCo2eTonnes
      recordCount
      change { previousFrom previousTo previousCo2eTonnes co2eTonnes percent }
    }
  }
`);

export const facilitiesQuery = graphql(`
  query ChatEmissionsByFacility($range: DateRangeInput, $filter: EmissionRecordFilter, $first: Int!) {
    emissions(range: $range, filter: $filter) {
      from
      to
      totalCo2eTonnes
      recordCount
      byFacility(first: $first) { facility { code name } co2eTonnes }
    }
  }
`);

export const categoriesQuery = graphql(`
  query ChatEmissionsByCategory($range: DateRangeInput, $filter: EmissionRecordFilter, $first: Int!) {
    emissions(range: $range, filter: $filter) {
      from
      to
      totalCo2eTonnes
      recordCount
      byCategory(first: $first) { category co2eTonnes }
    }
  }
`);

export const countriesQuery = graphql(`
  query ChatEmissionsByCountry($range: DateRangeInput, $filter: EmissionRecordFilter, $first: Int!) {
    emissions(range: $range, filter: $filter) {
      from
      to
      totalCo2eTonnes
      recordCount
      byCountry(first: $first) { country co2eTonnes }
    }
  }
`);

export const trendQuery = graphql(`
  query ChatEmissionTrend($range: DateRangeInput, $filter: EmissionRecordFilter, $step: TrendStep!) {
    emissions(range: $range, filter: $filter) {
      from
      to
      totalCo2eTonnes
      recordCount
      trend(step: $step) { from to co2eTonnes isGap }
    }
  }
`);

export const emissionForecastQuery = graphql(`
  query ChatEmissionForecast($filter: EmissionRecordFilter, $horizon: Int!) {
    emissions(filter: $filter) {
      forecast(horizon: $horizon, levels: [95]) {
        unit
        n
        from
        to
        model { direction }
        points { month value prediction { level lower upper } }
        notices
      }
    }
  }
`);

export const facilityCountQuery = graphql(`
  query ChatFacilityCount {
    facilities(first: 1) { totalCount }
  }
`);

export const creditsQuery = graphql(`
  query ChatCredits {
    credits {
      availableCredits
      issuedCredits
      soldCredits
      retiredCredits
      byTypeAndVintage(first: 1000) { creditType vintage issued sold retired available }
    }
  }
`);

export const retirementsQuery = graphql(`
  query ChatRetirements($filter: CreditRetirementFilter!) {
    credits {
      retirements(filter: $filter, first: 100) {
        nodes { reference quantity retiredOn }
        pageInfo { hasNextPage }
      }
    }
  }
`);

export const creditForecastQuery = graphql(`
  query ChatCreditForecast($horizon: Int!) {
    credits {
      forecast(horizon: $horizon, levels: [95]) {
        unit
        n
        from
        to
        model { direction }
        points { month value prediction { level lower upper } }
        notices
      }
    }
  }
`);

export const pricesQuery = graphql(`
  query ChatPrices($filter: InstrumentFilter) {
    market {
      instruments(filter: $filter, first: 100) {
        nodes {
          creditType
          exchange
          latestPrice { price currency unit asOf isStale source sourceUrl }
          change { previous { price asOf } amount percent }
        }
        pageInfo { hasNextPage }
      }
    }
  }
`);

export const priceForecastQuery = graphql(`
  query ChatPriceForecast($creditType: String!, $exchange: String!, $horizon: Int!) {
    market {
      forecast(creditType: $creditType, exchange: $exchange, horizon: $horizon, levels: [95]) {
        unit
        n
        from
        to
        model { direction }
        points { month value prediction { level lower upper } }
        notices
      }
    }
  }
`);

export const deadlinesQuery = graphql(`
  query ChatDeadlines($filter: DeadlineFilter!) {
    compliance {
      deadlines(filter: $filter, first: 100) {
        nodes { framework title dueDate daysRemaining status isOverdue sourceUrl source }
        totalCount
      }
    }
  }
`);

export const frameworksQuery = graphql(`
  query ChatFrameworks {
    compliance {
      frameworks { framework status lastUpdated }
    }
  }
`);

export const factorsQuery = graphql(`
  query ChatEmissionFactors($search: String!) {
    emissionFactors(search: $search, first: 100) {
      nodes { activity detail region scope category gas factor unit source sourceUrl sourceYear }
      totalCount
    }
  }
`);

// Names that a question may contain. Answers do not show these results.

export const facilityNamesQuery = graphql(`
  query ChatFacilityNames($after: String) {
    facilities(includeArchived: true, first: 100, after: $after) {
      nodes { code name }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export const categoryNamesQuery = graphql(`
  query ChatCategoryNames($range: DateRangeInput!) {
    emissions(range: $range) { byCategory(first: 100) { category } }
  }
`);

export const creditNamesQuery = graphql(`
  query ChatCreditNames {
    credits { byTypeAndVintage(first: 100) { creditType } }
  }
`);

export const instrumentNamesQuery = graphql(`
  query ChatInstrumentNames($after: String) {
    market {
      instruments(first: 100, after: $after) {
        nodes { creditType exchange }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);
