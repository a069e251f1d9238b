/**
 * Splits a string into words for comparison, ignoring case, accents, hyphens and plurals: `Österreich`, `Osterreich`
 * and `oesterreich` are the same, as are `R-410A` and `r410a`, and the refrigerants `HFC-134a` and `R-134a`.
 */
export function foldWords(text: string): string[] {
  return splitWords(text).flatMap((word) => {
    const folded = foldWord(word);
    if (!isCode(folded)) return word.split(HYPHENS).map(foldWord).filter(Boolean);
    return folded;
  });
}

/** Splits a string at spaces and punctuation. Keeps hyphens, apostrophes and points within words. */
export const splitWords = (text: string): string[] =>
  text.normalize("NFKC").match(/[\p{L}\p{N}&]+(?:[-‐‑'’.][\p{L}\p{N}&]+)*/gu) ?? [];

const HYPHENS = /[-‐‑'’]/;

/** Folds a single word and removes its hyphens. */
export function foldWord(word: string): string {
  const letters = word
    .toLowerCase()
    .replaceAll("ß", "ss")
    .normalize("NFD")
    .replaceAll(/[^\p{L}\p{N}.]/gu, "")
    .replaceAll(/([aou])e/g, "$1");
  if (isCode(letters)) return letters.replace(/^h?c?fc(?=\d)/, "r");
  return singularOf(letters);
}

/** Returns true for a word with letters and digits, such as `r410a`. Spelling correction skips these. */
export const isCode = (word: string): boolean => /\d/.test(word) && /\p{L}/u.test(word);

/** Returns the singular of an English plural. The vocabulary lists the plurals of other languages. */
function singularOf(word: string): string {
  if (word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies") && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(s|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}
