const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [",", "commas"],
  [";", "semicolons"],
  ["\t", "tabs"],
  ["|", "vertical bars"],
]);

/** Reads a delimiter: `\t` for a tab, or one character except a quote, a line end and NUL. Otherwise undefined. */
export function readDelimiter(text: string): string | undefined {
  const delimiter = text === "\\t" ? "\t" : text;
  return delimiter.length === 1 && !/["\r\n\0]/.test(delimiter) ? delimiter : undefined;
}

/** A delimiter that fits a header better than the given one. */
export interface OtherDelimiter {
  readonly delimiter: string;
  /** Description of the header. */
  readonly looks: string;
}

/** Finds the most frequent delimiter in a header, outside quotes; undefined if it is the given one. */
export function findOtherDelimiter(header: string, delimiter: string): OtherDelimiter | undefined {
  const bare = header.replace(/"(?:[^"]|"")*"/g, "");
  const counts = new Map([...DELIMITERS.keys(), delimiter].map((each) => [each, countIn(bare, each)]));
  const [[other, max] = [delimiter, 0]] = [...counts].toSorted(([, a], [, b]) => b - a);
  const own = counts.get(delimiter) ?? 0;
  if (max <= own) return undefined;
  const columns = own === 0 ? "one column" : `${own + 1} columns`;
  return { delimiter: other, looks: `${columns}; it looks separated by ${DELIMITERS.get(other)}` };
}

function countIn(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Returns the first line that is not blank. */
export function firstLine(text: string): string {
  const found = text.search(/\S/);
  if (found < 0) return "";
  const start = Math.max(text.lastIndexOf("\n", found), text.lastIndexOf("\r", found)) + 1;
  return /[^\r\n]*/.exec(text.slice(start))?.[0] ?? "";
}
