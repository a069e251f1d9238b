/** Returns a text without differences of case, accents and spaces: `  Strom  Wérk ` and `STROM WERK` are one. */
export const foldText = (text: string): string =>
  // Upper case first, so that ß and SS meet.
  text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .trim();
