/**
 * Puts an apostrophe in front of a string that a spreadsheet would read as a formula, or that `withoutGuard` would
 * change.
 */
export const guard = (text: string): string => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text);

/** Removes the apostrophe of `guard`. */
export const withoutGuard = (text: string): string =>
  text.startsWith("'") && /^'+[=+\-@\t\r\n]/.test(text) ? text.slice(1) : text;
