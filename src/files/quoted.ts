const MOST_SHOWN = 60;

/** Returns the first 59 characters of a string and `…` if it is longer than 60. */
export function cut(text: string): string {
  if (text.length <= MOST_SHOWN) return text;
  // Half a surrogate pair would not be a character.
  return `${text.slice(0, MOST_SHOWN - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Every space and hyphen except those of ASCII, and every invisible character. */
const LOOK_ALIKES = /(?! )[\p{Z}\p{Cf}\u2010-\u2015\u2212]/gu;

/** Returns a string from a file, quoted for a problem: cut, with look-alikes and invisible characters as `\u00a0`. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text)).replace(LOOK_ALIKES, escapeCharacter);
}

/** Returns a character as JSON escapes it: `\u001b`, or two of these for one outside the Basic Multilingual Plane. */
export function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}
