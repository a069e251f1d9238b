/** The operation that explorers show first. */
export const FIRST_OPERATION = `# Press the run button. Without a demo key, first enter your own key in the X-API-Key header.
query Overview {
  organization { name }
  emissions {
    from
    to
    totalCo2eTonnes
    change { previousCo2eTonnes percent }
    byScope { scope co2eTonnes }
  }
  compliance { upcomingDeadlines(first: 3) { dueDate daysRemaining framework title } }
  credits { availableCredits byType { creditType quantity } }
  market { instruments(first: 5) { nodes { creditType exchange latestPrice { price currency asOf } } } }
  rateLimit { remaining resetAt }
}
`;

/** Initial headers of the explorers: the demo key, or an empty value for the user's own. */
export const firstHeaders = (demoKey: string | null) => ({ "X-API-Key": demoKey ?? "" });
