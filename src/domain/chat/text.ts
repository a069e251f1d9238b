/** Stands where a part of a text was understood. It ends a phrase, as a full stop does. */
const TAKEN = "\u0001";

/** A question while it is read: each part that is understood is taken out, so that what is left was not. */
export interface OpenText {
  /** Takes the first match of a pattern; null if there is none. */
  take(pattern: RegExp): RegExpExecArray | null;
  /** Whether a pattern matches what is left. */
  has(pattern: RegExp): boolean;
  /** Where a pattern matches what is left; null if it does not. */
  find(pattern: RegExp): number | null;
  /** The remaining words, in lower case. */
  words(): readonly string[];
  /** The words that are left, in the spelling of the question: phrases of words next to each other. */
  phrases(isFiller: (word: string) => boolean): readonly Phrase[];
}

/** Words next to each other, none of which was understood. */
export interface Phrase {
  readonly text: string;
  readonly words: readonly string[];
  /** The word before it, in lower case; empty if there is none. */
  readonly after: string;
}

/** A word, a number, or a sign that changes what is meant, such as `%` or `<`. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'_.,&/+-]*|[\p{Sm}\p{Sc}%]/gu;

const SAME: Readonly<Record<string, string>> = {
  "’": "'",
  "‘": "'",
  "₂": "2",
  "\u00a0": " ",
  "–": "-",
  "—": "-",
};

/** Lower case, character by character, so that positions stay the same. */
const lowerCase = (text: string): string =>
  [...text]
    .map((char) => {
      const plain = SAME[char] ?? char;
      const lower = plain.toLowerCase();
      return lower.length === char.length ? lower : char;
    })
    .join("");

/** The words of a name or a question in lower case, without the punctuation around them. */
export const wordsOf = (text: string): readonly string[] => lowerCase(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Opens a question for reading. */
export function openText(question: string): OpenText {
  let rest = lowerCase(question);
  const blank = (start: number, end: number) => {
    rest = rest.slice(0, start) + TAKEN.repeat(end - start) + rest.slice(end);
  };
  return {
    take(pattern) {
      const found = pattern.exec(rest);
      if (found && found[0] !== "") blank(found.index, found.index + found[0].length);
      return found;
    },
    has: (pattern) => pattern.test(rest),
    find: (pattern) => pattern.exec(rest)?.index ?? null,
    words: () => wordsOf(rest),
    phrases(isFiller) {
      const found: { start: number; end: number; words: string[]; after: string }[] = [];
      let before = "";
      let open = false;
      let end = 0;
      for (const match of rest.matchAll(WORD)) {
        const word = match[0].replace(/('s|[.,'&/+-])+$/u, "");
        const between = rest.slice(end, match.index);
        end = match.index + match[0].length;
        if (isFiller(word)) {
          open = false;
        } else if (open && /^[\s,"'()-]*$/.test(between)) {
          const last = found.at(-1);
          if (last) Object.assign(last, { end, words: [...last.words, word] });
        } else {
          found.push({
            start: match.index,
            end,
            words: [word],
            after: between.includes(TAKEN) ? "" : before,
          });
          open = true;
        }
        before = word;
      }
      return found.map(({ start, end, words, after }) => ({
        words,
        after,
        text: question.slice(start, end).replace(/[.,'’&/+-]+$/u, ""),
      }));
    },
  };
}
