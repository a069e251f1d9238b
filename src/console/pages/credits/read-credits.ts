import { type ConsoleCreditsQuery, graphql } from "../../../generated/console.js";

/** The credits by type and vintage, and a page of the batches. */
export const READ_CREDITS = graphql(`
  query ConsoleCredits($after: String) {
    credits {
      issuedCredits
      soldCredits
      retiredCredits
      availableCredits
      byTypeAndVintage(first: 40) { creditType vintage available sold retired }
      batches(first: 25, after: $after) {
        nodes {
          id
          reference
          creditType
          vintage
          issued
          sold
          retired
          available
          sales(first: 20) { id reference quantity soldOn buyer price currency }
          retirements(first: 20) { id reference quantity retiredOn beneficiary purpose }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** What stands out in the credits. */
export const READ_INSIGHTS = graphql(`
  query ConsoleCreditInsights { credits { insights { ...ConsoleInsight } } }
`);

/** The credits as the page shows them. */
export type Portfolio = NonNullable<ConsoleCreditsQuery["credits"]>;

/** A batch with what became of it. */
export type Batch = Portfolio["batches"]["nodes"][number];

/** How many sales, and how many retirements, are read of each batch. */
export const MOST_SHOWN = 20;
