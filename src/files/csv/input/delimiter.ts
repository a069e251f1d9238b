const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [",", "commas"],
  [";", "semicolons"],
  ["\t", "tabs"],
  ["|", "vertical bars"],
]);

/** A delimiter: one character, or a tab as `\t`; undefined for other text, quotes and line ends. */
export function readDelimiter(text: string): string | undefined {
  const delimiter = text === "\\t" ? "\t" : text;
  return delimiter.length === 1 && !/["\r\n\0]/.test(delimiter) ? delimiter : undefined;
}

/** A delimiter that fits a header better than the one that was given. */
export interface OtherDelimiter {
  readonly delimiter: string;
  /** What the header looks like. */
  readonly looks: string;
}

/** Finds the delimiter that occurs most often in a header, outside quotes; undefined if it is the given one. */
export function findOtherDelimiter(header: string, delimiter: string): OtherDelimiter | undefined {
  const bare = header.replace(/"(?:[^"]|"")*"/g, "");
  const count = (character: string) => bare.split(character).length - 1;
  const [other = delimiter] = [...DELIMITERS.keys()].toSorted((a, b) => count(b) - count(a));
  if (count(other) <= count(delimiter)) return undefined;
  const columns = count(delimiter) === 0 ? "one column" : `${count(delimiter) + 1} columns`;
  return { delimiter: other, looks: `${columns}; it looks separated by ${DELIMITERS.get(other)}` };
}

/** The first line of a text that is not blank. */
export function firstLine(text: string): string {
  return text.split(/[\r\n]/).find((line) => line.trim() !== "") ?? "";
}
