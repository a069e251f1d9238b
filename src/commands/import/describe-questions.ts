import type { Question } from "../../domain/emissions/questions.js";
import { countOf } from "../../domain/texts/count-of.js";
import { printable } from "../output/terminal.js";

/** Describes each question about a probable error on one line, then how to accept them. */
export function describeQuestions(questions: readonly Question[]): string {
  const lines = questions.map(({ code, message, rows, firstLines }) => {
    const first = firstLines.length === 0 ? "" : `, first in lines ${firstLines.join(", ")}`;
    return `${code}: ${printable(message)} (${countOf(rows, "row")}${first})`;
  });
  const options = questions.map(({ code }) => `--accept ${code}`).join(" ");
  return [...lines, `If this is correct, import the file with ${options}.`].join("\n");
}
