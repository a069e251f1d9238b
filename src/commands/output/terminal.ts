import { escapeCharacter } from "../../files/quoted.js";

/** Control characters, which a terminal interprets, and characters that reverse the direction of text. */
const ORDERS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Makes foreign text, such as a name, safe for a terminal: on one line, with control characters and those that change
 * the direction of text escaped as `\u001b`. The escapes do not change the meaning of JSON.
 */
export function showable(text: string): string {
  return text.replace(ORDERS, escapeCharacter);
}

/** Makes a text of several lines safe for a terminal. */
export function showableLines(text: string): string {
  return text.split("\n").map(showable).join("\n");
}
