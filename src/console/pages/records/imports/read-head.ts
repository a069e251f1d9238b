/** The beginning of a CSV file. */
export interface Head {
  readonly delimiter: string;
  readonly names: readonly string[];
  /** The first row below the header, as an example of the columns' values. */
  readonly example: readonly string[];
}

const DELIMITERS = [",", ";", "\t", "|"];

/** Reads the header and the first row of a file's beginning. The delimiter is the most frequent one in the header. */
export function readHead(text: string): Head {
  const content = text.replace(/^\uFEFF/, "");
  const counts = DELIMITERS.map((delimiter) => readRows(content, delimiter)[0]?.length ?? 0);
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
  const [names = [], example = []] = readRows(content, delimiter);
  return { delimiter, names: names.map((name) => name.trim()), example };
}

/** Reads the first two rows (RFC 4180). */
function readRows(text: string, delimiter: string): string[][] {
  const rows: string[][] = [[""]];
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index] ?? "";
    const row = rows.at(-1) ?? [];
    const add = (more: string) => row.push((row.pop() ?? "") + more);
    if (letter === '"') {
      if (isQuoted && text[index + 1] === '"') add(text[++index] ?? "");
      else isQuoted = !isQuoted;
    } else if (isQuoted) add(letter);
    else if (letter === delimiter) row.push("");
    else if (letter === "\n") {
      if (rows.length === 2) break;
      rows.push([""]);
    } else if (letter !== "\r") add(letter);
  }
  return rows;
}
