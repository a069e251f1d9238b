const MAX_SHOWN = 60;

/** Cuts a string of more than 60 characters to 59 and `…`. */
export function cut(text: string): string {
  if (text.length <= MAX_SHOWN) return text;
  // Removes half of a surrogate pair.
  return `${text.slice(0, MAX_SHOWN - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Spaces and hyphens that are not ASCII, and invisible characters. */
const LOOK_ALIKES = /(?! )[\p{Z}\p{Cf}\u2010-\u2015\u2212]/gu;

/** Quotes a string from a file for a problem: cut, with look-alikes and invisible characters as `\u00a0`. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text)).replace(LOOK_ALIKES, escapeCharacter);
}

/** Escapes a character as in JSON: `\u001b`, or two of these outside the Basic Multilingual Plane. */
export function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}
