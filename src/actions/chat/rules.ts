import { EXAMPLES } from "../../domain/chat/examples.js";
import { indexNames } from "../../domain/chat/names.js";
import type { ChatEngine, ChatModule, ChatNotice, Question } from "../../domain/chat/question.js";
import { readQuestion } from "../../domain/chat/reading/read-question.js";
import { AppError, type ErrorCode } from "../../errors.js";
import { takeTurn } from "../../turns.js";
import { answer } from "./answers/answer.js";
import { type Ask, type AskedQuery, noteAsked } from "./ask.js";
import { type Reply, saying } from "./reply.js";
import { readVocabulary } from "./vocabulary.js";

/** What was asked, and where. */
export interface Asked {
  readonly message: string;
  readonly module: ChatModule;
  /** The question that the conversation was about before. */
  readonly previous: Question | null;
  readonly now: Date;
}

/** An answer, with how it came about. */
export interface Answer extends Reply {
  readonly engine: ChatEngine;
  readonly queries: readonly AskedQuery[];
  readonly notices: readonly ChatNotice[];
  /** As it was understood; null if it was not, or if the model answered. */
  readonly question: Question | null;
}

/** Refusals of the graph that are an answer: the person may not read it, or there is too little to answer with. */
const TELLING: readonly ErrorCode[] = ["FORBIDDEN", "INSUFFICIENT_DATA", "BAD_USER_INPUT", "NOT_FOUND"];

/** Answers by rules alone: a question that they do not understand as a whole gets questions that they do. */
export async function answerByRules(asked: Asked, ask: Ask): Promise<Answer> {
  const { module, now } = asked;
  const vocabulary = await readVocabulary(ask, now);
  // The length of a question and the number of names are bounded, so that each of these fits into a turn.
  await takeTurn(1);
  indexNames(vocabulary);
  await takeTurn(1);
  const reading = readQuestion({ ...asked, vocabulary });
  const byRules = { engine: "rules" as const, notices: [] };
  if ("fault" in reading) {
    return { ...saying(reading.fault, EXAMPLES[module]), ...byRules, queries: [], question: null };
  }
  const { question } = reading;
  const noted = noteAsked(ask);
  try {
    return { ...(await answer(question, noted.ask, now)), ...byRules, queries: noted.queries, question };
  } catch (error) {
    if (!(error instanceof AppError && TELLING.includes(error.code))) throw error;
    return { ...saying(`I cannot answer this: ${error.message}`), ...byRules, queries: [], question };
  }
}
