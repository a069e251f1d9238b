/** Splits a command line into words. */
export const words = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|\S+/g)].map(([word, single, double]) => single ?? double ?? word);
