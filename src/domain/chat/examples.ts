import type { ChatModule } from "./question.js";

/** Six questions per module that the rules can answer, shown as suggestions. */
export const EXAMPLES: Readonly<Record<ChatModule, readonly string[]>> = {
  emissions: [
    "What was our footprint over the last 12 months?",
    "Show emissions by scope for last quarter",
    "Which 3 facilities emitted the most this year?",
    "Compare this year with last year",
    "Were there any unusual months?",
    "What is the forecast for the next 3 months?",
  ],
  compliance: [
    "What is our next deadline?",
    "Which deadlines are overdue?",
    "What is due in the next 30 days?",
    "What are our CBAM deadlines?",
    "What is our status under each framework?",
    "What is CBAM?",
  ],
  credits: [
    "How many credits are available?",
    "Show credits by type",
    "How many credits have we sold?",
    "How many credits did we retire last year?",
    "What is the forecast for retired credits?",
    "What is a carbon credit certificate?",
  ],
  market: [
    "What is the current EUA price?",
    "Show all prices",
    "What is the current CCC price?",
    "What is the price forecast for EUA?",
    "What is the EU ETS?",
    "What is an EUA?",
  ],
};
