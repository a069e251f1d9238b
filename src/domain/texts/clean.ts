/**
 * Characters that are invisible or change how others appear: controls, line separators, lone surrogates, and those that
 * Unicode calls ignorable (bidirectional, zero-width and tag characters, variation selectors, fillers). U+FE0F is
 * allowed, because many emoji end with it.
 */
const HIDDEN = /(?!\u{FE0F})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const MAX_TEXT_LENGTH = 500;

/** Escapes hidden characters as `\u{202e}`. */
export const escapeHidden = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Escapes hidden characters, and cuts a longer string to 500 characters, the last of them `…`. */
function cleanText(text: string): string {
  const escaped = escapeHidden(text);
  if (escaped.length <= MAX_TEXT_LENGTH) return escaped;
  return `${escaped.slice(0, MAX_TEXT_LENGTH - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Escapes and cuts all strings of a JSON value except `next_cursor`, which must be complete to request the next page.
 * Leaves keys unchanged, because they are the gateway's own.
 */
export function cleanStrings<Value>(value: Value): Value {
  if (typeof value === "string") return cleanText(value) as Value;
  if (Array.isArray(value)) return value.map(cleanStrings) as Value;
  if (typeof value !== "object" || value === null) return value;
  const cleaned: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value))
    cleaned[name] = name === "next_cursor" ? part : cleanStrings(part);
  return cleaned as Value;
}
