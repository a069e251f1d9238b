/** Copies a part of a block's text. The part itself would keep the whole block in memory. */
export const copyText = (part: string): string => Buffer.from(part).toString();

const MOST_REMEMBERED = 10_000;
const LONGEST_REMEMBERED = 60;

/** Adds a cache to a function, because a file has many rows, but few different dates and units. */
export function memoize<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = read(text);
    if (text.length > LONGEST_REMEMBERED) return result;
    if (known.size > MOST_REMEMBERED) known.clear();
    known.set(copyText(text), result);
    return result;
  };
}
