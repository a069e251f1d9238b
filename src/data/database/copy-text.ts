const ESCAPES: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t" };

/** Formats a value for a line of COPY's text format. */
export function escapeText(text: string | null | undefined): string {
  if (text === undefined || text === null) return "\\N";
  if (!/[\\\n\r\t]/.test(text)) return text;
  return text.replace(/[\\\n\r\t]/g, (found) => (found === "\\" ? "\\\\" : `\\${ESCAPES[found]}`));
}
