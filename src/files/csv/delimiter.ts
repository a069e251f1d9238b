const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [",", "commas"],
  [";", "semicolons"],
  ["\t", "tabs"],
  ["|", "vertical bars"],
]);

/**
 * Says how a header looks if another delimiter than `delimiter` stands in it more often, outside of quotes, and which
 * option reads it; undefined otherwise.
 */
export function describeOtherDelimiter(header: string, delimiter: string): string | undefined {
  const bare = header.replace(/"(?:[^"]|"")*"/g, "");
  const count = (character: string) => bare.split(character).length - 1;
  const [other = delimiter] = [...DELIMITERS.keys()].toSorted((a, b) => count(b) - count(a));
  if (count(other) <= count(delimiter)) return undefined;
  const columns = count(delimiter) === 0 ? "one column" : `${count(delimiter) + 1} columns`;
  const option = other === "\t" ? "\\t" : other;
  return `${columns}; it looks separated by ${DELIMITERS.get(other)} (--delimiter '${option}')`;
}

/** The first line of a text that holds more than spaces. */
export function firstLine(text: string): string {
  return text.split(/[\r\n]/).find((line) => line.trim() !== "") ?? "";
}
