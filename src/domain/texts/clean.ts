/**
 * Characters that a reader cannot see, or that change how others are read: controls, separators of lines, surrogates without
 * a partner, and what Unicode calls ignorable (bidirectional, zero-width and tag characters, variation selectors, fillers).
 * U+FE0F, which many emoji end with, is left.
 */
const HIDDEN = /(?!\u{FE0F})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Maximum number of characters of a string in an answer. */
const LONGEST_TEXT = 500;

/** Escapes hidden characters as `\u{202e}`. */
export const escapeHidden = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Escapes hidden characters, and cuts a string to 500 characters that end with `…`. */
function cleanText(text: string): string {
  const escaped = escapeHidden(text);
  if (escaped.length <= LONGEST_TEXT) return escaped;
  return `${escaped.slice(0, LONGEST_TEXT - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Returns a JSON value with each of its strings escaped and cut, except `next_cursor`, which the next page needs whole.
 * Its keys are the gateway's own.
 */
export function clean<Value>(value: Value): Value {
  if (typeof value === "string") return cleanText(value) as Value;
  if (Array.isArray(value)) return value.map(clean) as Value;
  if (typeof value !== "object" || value === null) return value;
  const cleaned: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value))
    cleaned[name] = name === "next_cursor" ? part : clean(part);
  return cleaned as Value;
}
