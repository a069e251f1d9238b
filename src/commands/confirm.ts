import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { OperatorError } from "../errors.js";

/**
 * Asks a question in the terminal, on standard error; only `y` or `yes` is a yes, Ctrl-C and Ctrl-D are a no. Throws
 * OperatorError if there is no terminal to ask in.
 */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new OperatorError("There is no terminal to ask for confirmation: give --yes to go ahead.", 2);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(terminal, "close").then(() => "");
  try {
    // Ctrl-C rejects, and Ctrl-D closes without an answer.
    const answered = terminal.question(`${question} [y/N] `).catch(() => "");
    const answer = await Promise.race([answered, closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
