import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { OperatorError } from "../../errors.js";

/**
 * Asks a question on standard error. Returns true for `y` or `yes`, and false for any other answer, Ctrl-C or Ctrl-D.
 * Throws OperatorError if standard input is not a terminal.
 */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new OperatorError("No terminal to ask for confirmation. Use --yes to confirm.", 2);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(terminal, "close").then(() => "");
  try {
    // Ctrl-C rejects the question. Ctrl-D closes the terminal without an answer.
    const answered = terminal.question(`${question} [y/N] `).catch(() => "");
    const answer = await Promise.race([answered, closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
