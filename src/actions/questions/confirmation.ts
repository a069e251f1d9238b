import { IMPORT_QUESTIONS, type ImportQuestion, type Question } from "../../domain/emissions/questions.js";
import { ActionError, joinMessages, type Subject } from "../action-error.js";

/** Questions that the caller has not accepted. Nothing was stored; `extensions.questions` has all of them. */
export class ConfirmationRequired extends ActionError {
  readonly questions: readonly Question[];

  constructor(subject: Subject, questions: readonly Question[]) {
    const messages = questions.map(({ message }) => message);
    super("CONFIRMATION_REQUIRED", subject, `Nothing was stored. ${joinMessages(messages)}`, subject, {
      extensions: { questions },
    });
    this.name = "ConfirmationRequired";
    this.questions = questions;
  }
}

/**
 * Returns the codes of the questions. Throws ConfirmationRequired, with every question, unless all of them are
 * accepted.
 */
export function requireAccepted(
  subject: Subject,
  questions: readonly Question[],
  accepted: readonly ImportQuestion[],
): ImportQuestion[] {
  if (questions.some(({ code }) => !accepted.includes(code))) {
    throw new ConfirmationRequired(subject, questions);
  }
  return IMPORT_QUESTIONS.filter((known) => questions.some(({ code }) => code === known));
}
