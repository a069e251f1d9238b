/**
 * Puts an apostrophe in front of a text that a spreadsheet would read as a formula, and in front of one that
 * `withoutGuard` would change.
 */
export const guard = (text: string): string => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);

/** Removes the apostrophe of `guard`, and changes no text without it. */
export const withoutGuard = (text: string): string =>
  text.startsWith("'") && /^'+[=+\-@\t\r\n]/.test(text) ? text.slice(1) : text;
