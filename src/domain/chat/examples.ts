import type { ChatModule } from "./question.js";

/** Six questions per module that the rules can answer. */
export const EXAMPLES: Readonly<Record<ChatModule, readonly string[]>> = {
  emissions: [
    "What is our footprint of the last 12 months?",
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
    "Which deadlines do we have for CBAM?",
    "What is our status in each framework?",
    "What is CBAM?",
  ],
  credits: [
    "How many credits are available?",
    "Show credits by type",
    "How many credits have we sold?",
    "How many credits did we retire last year?",
    "What is the forecast of retired credits?",
    "What is a carbon credit certificate?",
  ],
  market: [
    "What is the price of EUA?",
    "Show all prices",
    "What is the price of CCC?",
    "What is the price forecast for EUA?",
    "What is the EU ETS?",
    "What is an EUA?",
  ],
};
