/**
 * Start of a cell: that of the text, or what follows a character at which spreadsheets may split or break lines, even in
 * quotes. Quotes and spaces before the formula make no difference.
 */
const START = String.raw`(^|[;\t\r\n])(["\s]*)`;
/** First character of a formula, also in full width, which some spreadsheets read alike. */
const FORMULA = String.raw`[=+\-@\t\r\n＝＋－＠]`;

const UNGUARDED = new RegExp(`${START}(?='*${FORMULA})`, "g");
const GUARDED = new RegExp(`${START}'(?='*${FORMULA})`, "g");

/** Puts an apostrophe before each part of a text that a spreadsheet could read as a formula. */
export const guard = (text: string): string => text.replace(UNGUARDED, "$1$2'");

/** Removes the apostrophes of `guard`. */
export const withoutGuard = (text: string): string =>
  text.includes("'") ? text.replace(GUARDED, "$1$2") : text;
