import { type CreateCounter, countOrThrow } from "./counter.js";

/** Maximum number of questions a user may ask in an hour. */
const QUESTIONS_PER_HOUR = 60;

/** Creates the counter of a user's questions: 60 an hour, then RATE_LIMIT_EXCEEDED. */
export function createQuestionCounter(createCounter: CreateCounter): (userId: string) => Promise<void> {
  const counter = createCounter({ name: "questions", limit: QUESTIONS_PER_HOUR, seconds: 3_600 });
  return (userId) => countOrThrow(counter, userId, `You may ask ${QUESTIONS_PER_HOUR} questions an hour.`);
}
