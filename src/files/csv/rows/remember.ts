/** Copies a part of a file's text. The original would keep its whole block in memory. */
export const copyOf = (part: string): string => Buffer.from(part).toString();

const MOST_REMEMBERED = 10_000;
const LONGEST_REMEMBERED = 60;

/** Returns the same function with a cache by text: a file has many rows, but few dates and units. */
export function remember<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = read(text);
    if (text.length > LONGEST_REMEMBERED) return result;
    if (known.size > MOST_REMEMBERED) known.clear();
    known.set(copyOf(text), result);
    return result;
  };
}
