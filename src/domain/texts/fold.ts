/** Removes accents: `Wérk` becomes `Werk`. */
export const withoutAccents = (text: string): string => text.normalize("NFD").replaceAll(/\p{Mn}/gu, "");

/** Folds case, accents and spaces, so that `  Strom  Wérk ` and `STROM WERK` become the same string. */
export const foldText = (text: string): string =>
  // Upper case first, so that ß and SS become the same.
  withoutAccents(text).toUpperCase().toLowerCase().replaceAll(/\s+/g, " ").trim();
