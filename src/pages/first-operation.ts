/** What an explorer starts with. */
export const FIRST_OPERATION = `# Press the run button. Without a demo key, put your own into the X-API-Key header first.
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

/** The header that explorers send, with a key that works or none yet. */
export const firstHeaders = (demoKey: string | null) => ({ "X-API-Key": demoKey ?? "" });
