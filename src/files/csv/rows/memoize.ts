/** Copies a part of a block's text. The part itself would keep the whole block in memory. */
export const copyText = (part: string): string => Buffer.from(part).toString();

const MAX_REMEMBERED = 10_000;
const MAX_REMEMBERED_LENGTH = 60;

/** Adds a cache to a function, because a file has many rows, but few different dates and units. */
export function memoize<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = read(text);
    if (text.length > MAX_REMEMBERED_LENGTH) return result;
    if (known.size > MAX_REMEMBERED) known.clear();
    known.set(copyText(text), result);
    return result;
  };
}
