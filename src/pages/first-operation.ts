/** The operation that explorers show first. */
export const FIRST_OPERATION = `# Press the run button. If there is no demo key, first put your own into the X-API-Key header.
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

/** Headers that explorers send: the demo key, or an empty field for the user's own. */
export const firstHeaders = (demoKey: string | null) => ({ "X-API-Key": demoKey ?? "" });
