import { type ConsoleFactorsQuery, graphql } from "../../../../generated/console.js";
import { writeDecimal } from "../../../parts/numbers.js";

export const FIND_FACTORS = graphql(`
  query ConsoleFactors(
    $search: String!
    $on: Date
    $preferRegion: String
    $region: String
    $scope: EmissionScope
    $unit: String
  ) {
    emissionFactors(
      search: $search
      on: $on
      preferRegion: $preferRegion
      region: $region
      scope: $scope
      unit: $unit
      first: 50
    ) {
      nodes {
        id activity otherName detail region scope category gas factorExact unit source sourceYear isOwn
      }
    }
  }
`);

/** An emission factor in a search's results. */
export type Factor = NonNullable<ConsoleFactorsQuery["emissionFactors"]>["nodes"][number];

/** Returns the name of a factor: its activity, and its detail if it has one. */
export const nameOfFactor = ({ activity, detail }: Pick<Factor, "activity" | "detail">): string =>
  [activity, detail].filter(Boolean).join(", ");

/** Returns the figure of a factor: `0.177 kg CO2e/kWh`. */
export const figureOf = ({ factorExact, gas, unit }: Pick<Factor, "factorExact" | "gas" | "unit">): string =>
  `${writeDecimal(factorExact)} kg ${gas}/${unit}`;

/** Returns the publisher of a factor with the year: `UK DESNZ 2025`. The source starts with the publisher. */
export function publicationOf({ source, sourceYear }: Pick<Factor, "source" | "sourceYear">): string {
  const publisher = publisherOf(source);
  return publisher.includes(String(sourceYear)) ? publisher : `${publisher} ${sourceYear}`;
}

const publisherOf = (source: string) => source.split(",", 1)[0] ?? source;

/** Returns true if both factors have the same publisher, ignoring the year in its name. */
export const isOfOneSeries = (one: Factor, other: Factor): boolean =>
  seriesOf(one.source) === seriesOf(other.source);

const seriesOf = (source: string) => publisherOf(source).replaceAll(/\b(?:19|20)\d\d\b/g, "");
