/** What a terminal obeys instead of showing it, and what turns the order of a line's characters around. */
const ORDERS = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Text that came from elsewhere, such as a name, as it may be shown in a terminal: on one line, with `\u001b` and the like
 * in the place of characters that would colour, overwrite or reorder what stands around it. JSON stays the same JSON.
 */
export function showable(text: string): string {
  return text.replace(ORDERS, codeOf);
}

const MOST_SHOWN = 60;

/** The beginning of a text, where it is long. */
export function cut(text: string): string {
  return text.length > MOST_SHOWN
    ? `${text.slice(0, MOST_SHOWN - 1).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
}

/** Spaces and hyphens beside those of ASCII, and what is not seen at all. */
const LOOK_ALIKES = /(?! )[\p{Z}\p{Cf}\u2010-\u2015\u2212]/gu;

/** A text of a file as a problem shows it: cut, and characters that look like others, or like nothing, by their codes. */
export function quoted(text: string): string {
  return JSON.stringify(cut(text)).replace(LOOK_ALIKES, codeOf);
}

/** A character as JSON may write it: `\u001b`, or two of these. */
function codeOf(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }).join("");
}

/** The same of several lines. */
export function showableLines(text: string): string {
  return text.split("\n").map(showable).join("\n");
}
