/** Replacement for each character of an understood part. It ends a phrase, as a full stop does. */
const TAKEN = "\u0001";

/** A question that is being read. Understood parts are taken out; the rest is not yet understood. */
export interface OpenText {
  /** Takes the first match of a pattern; null if nothing matches. */
  take(pattern: RegExp): RegExpExecArray | null;
  /** Returns true if a pattern matches the remaining text. */
  has(pattern: RegExp): boolean;
  /** Returns the index at which a pattern matches the remaining text; null if it does not. */
  find(pattern: RegExp): number | null;
  /** Returns the remaining words, in lower case. */
  words(): readonly string[];
  /** Returns phrases of adjacent remaining words. Fillers are left out, and end a phrase. */
  phrases(isFiller: (word: string) => boolean): readonly Phrase[];
}

/** Adjacent words that are not yet understood. */
export interface Phrase {
  /** Its position in the question. */
  readonly at: number;
  readonly text: string;
  readonly words: readonly string[];
}

/** A word, a number, or a symbol that changes the meaning, such as `%` or `<`. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'_.,&/+-]*|[\p{Sm}\p{Sc}%]/gu;

/** Characters, and the plain ones that replace them, in the same order. */
const [OTHERS, PLAIN] = ["’‘₂\u00a0–—", "''2 --"];

/** Converts to lower case, character by character, so that positions do not change. */
const lowerCase = (text: string): string =>
  text.replace(/./gsu, (char) => {
    const lower = (PLAIN[OTHERS.indexOf(char)] ?? char).toLowerCase();
    return lower.length === char.length ? lower : char;
  });

/** Returns the words of a string in lower case, without punctuation. */
export const wordsOf = (text: string): readonly string[] => lowerCase(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** Returns true if each word of `about`, without a plural s, begins a word of the name, or if `about` is null. */
export const contains = (name: string, about: string | null): boolean =>
  wordsOf(about ?? "").every((word) =>
    wordsOf(name).some((one) => one.startsWith(word.replace(/(?<=.{3})s$/, ""))),
  );

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
      const found: { at: number; end: number; words: string[] }[] = [];
      let end = 0;
      for (const { 0: written, index: at } of rest.matchAll(WORD)) {
        const word = written.replace(/('s|[.,'&/+-])+$/u, "");
        const last = found.at(-1);
        const isNext = last?.end === end && /^[\s,"'()-]*$/.test(rest.slice(end, at));
        end = at + written.length;
        if (isFiller(word)) continue;
        if (last && isNext) {
          last.words.push(word);
          last.end = end;
        } else found.push({ at, end, words: [word] });
      }
      return found.map(({ at, end, words }) => {
        return { at, words, text: question.slice(at, end).replace(/[.,'’&/+-]+$/u, "") };
      });
    },
  };
}
