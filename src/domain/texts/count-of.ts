/** Returns the plural of a regular noun: "facilities" for "facility", "batches" for "batch". */
export const pluralOf = (noun: string): string =>
  `${noun.replace(/(?<![aeiou])y$/, "ie").replace(/ch$/, "che")}s`;

/** Writes a count with its noun: "1 facility", "2 facilities". */
export const countOf = (count: number, noun: string, format: (count: number) => string = String): string =>
  `${format(count)} ${count === 1 ? noun : pluralOf(noun)}`;
