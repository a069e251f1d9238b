import { tooMany } from "../../errors.js";
import type { CreateCounter } from "./counter.js";

/** Maximum number of questions a person may ask in an hour. */
const QUESTIONS_PER_HOUR = 60;

/** Creates the counter of each person's questions. It rejects with RATE_LIMIT_EXCEEDED after 60 in an hour. */
export function createQuestions(createCounter: CreateCounter): (userId: string) => Promise<void> {
  const counter = createCounter({ name: "questions", limit: QUESTIONS_PER_HOUR, seconds: 3_600 });
  return async (userId) => {
    const wait = await counter.count(userId);
    if (wait !== null) throw tooMany(`You may ask ${QUESTIONS_PER_HOUR} questions an hour.`, wait);
  };
}
