import { Unanswerable } from "../../domain/chat/open-question.js";
import type { ChatEngine, ChatModule, ChatNotice, Question } from "../../domain/chat/question.js";
import { declined, readQuestion } from "../../domain/chat/read-question.js";
import { indexNames, type Vocabulary } from "../../domain/chat/vocabulary.js";
import type { Place } from "../../domain/fair-line.js";
import { addDays, addMonths, isoDate } from "../../domain/window.js";
import { AppError, type ErrorCode } from "../../errors.js";
import { runInTurns, takeTurn, UNLIMITED } from "../../turns.js";
import { answer } from "./answers/answer.js";
import { type Reply, reply } from "./reply.js";
import { type Ask, type AskedQuery, readPages, type Tools } from "./tools.js";

/** A user's message with its context. */
export interface AskedQuestion {
  readonly message: string;
  readonly module: ChatModule;
  /** Previous question of the conversation. */
  readonly previous: Question | null;
  readonly now: Date;
  /** Place of the answer among the work that waits for turns. */
  readonly place: Place;
}

/** An answer with its origin. */
export interface Answer extends Reply {
  readonly engine: ChatEngine;
  readonly queries: readonly AskedQuery[];
  readonly notices: readonly ChatNotice[];
  /** The question as the rules understood it; null if they declined it or if the model answered. */
  readonly question: Question | null;
}

/**
 * Error codes that become an answer: the user may not read the data, there is not enough of it, or the question cannot
 * be answered from it.
 */
const ANSWERABLE_ERRORS: readonly ErrorCode[] = [
  "FORBIDDEN",
  "INSUFFICIENT_DATA",
  "BAD_USER_INPUT",
  "VALIDATION_FAILED",
  "NOT_FOUND",
];

/** Answers by rules alone. If the rules do not fully understand the question, suggests questions that they do. */
export async function answerByRules(asked: AskedQuestion, tools: Tools): Promise<Answer> {
  const { module, now, place } = asked;
  const vocabulary = await readVocabulary(tools, now);
  await runInTurns(indexNames(vocabulary), { ...UNLIMITED, place });
  // The length of the question and the number of names are bounded, so the rest fits into a turn.
  await takeTurn(place);
  const queries: AskedQuery[] = [];
  const ask: Ask = (name, variables) => tools.read(queries, name, variables);
  const byRules = { engine: "rules" as const, notices: [], queries: [], question: null };
  let question: Question | null = null;
  try {
    question = readQuestion({ ...asked, vocabulary });
    return { ...byRules, ...(await answer(question, { ask, now, vocabulary })), queries, question };
  } catch (error) {
    if (error instanceof Unanswerable) return { ...reply(""), ...byRules, ...declined(module, error) };
    if (!(error instanceof AppError && ANSWERABLE_ERRORS.includes(error.code))) throw error;
    return { ...reply(`I can't answer this: ${error.message}`), ...byRules, question };
  }
}

/** Maximum number of pages of 100 facilities to read for one question. */
const MAX_PAGES = 10;
/** Number of past months whose categories a question may name. */
const CATEGORY_MONTHS = 120;

/** Reads the facilities and categories that the user may read, to recognize their names in a question. */
async function readVocabulary({ read }: Tools, now: Date): Promise<Vocabulary> {
  const range = { from: addMonths(isoDate(now), -CATEGORY_MONTHS), to: addDays(now, 366) };
  const page = { includeArchived: true, first: 100 };
  try {
    const [facilities, ranked] = await Promise.all([
      readPages(
        MAX_PAGES,
        async (after) => (await read([], "findFacilities", { ...page, after })).facilities,
      ),
      read([], "rankEmissionSources", { by: "CATEGORY", range, first: 100 }),
    ]);
    const categories = ranked.emissions.largestParts.flatMap(({ part }) => part ?? []);
    return { facilities: facilities.items, categories };
  } catch (error) {
    if (error instanceof AppError && error.code === "FORBIDDEN") return { facilities: [], categories: [] };
    throw error;
  }
}
