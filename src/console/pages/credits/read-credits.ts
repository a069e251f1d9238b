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

/** The insights about credits. */
export const READ_INSIGHTS = graphql(`
  query ConsoleCreditInsights { credits { insights { ...ConsoleInsight } } }
`);

/** The credits on the page. */
export type Portfolio = NonNullable<ConsoleCreditsQuery["credits"]>;

/** A batch with its sales and retirements. */
export type Batch = Portfolio["batches"]["nodes"][number];

/** Maximum number of sales, and of retirements, read for each batch. */
export const MAX_SHOWN = 20;
