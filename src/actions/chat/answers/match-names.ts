import { wordsOf } from "../../../domain/chat/text.js";

/** Returns true if a name contains words that begin with each of some words. */
export const contains = (name: string, about: string | null): boolean =>
  wordsOf(about ?? "").every((word) =>
    wordsOf(name).some((one) => one.startsWith(word.replace(/(?<=.{3})s$/, ""))),
  );
