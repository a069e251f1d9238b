import { escapeCharacter } from "../../files/quoted.js";

/** Control characters, which terminals interpret, and characters that change the direction of text. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes an untrusted string, such as a name, safe to print on one line: escapes unsafe characters, as in `\u001b`. JSON
 * keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Makes an untrusted string of several lines safe to print. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
