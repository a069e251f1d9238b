const MOST_REMEMBERED = 10_000;

/** The same function, which keeps its results by text: a file has many rows, but few dates and units. */
export function remember<Result>(read: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const result = read(text);
    if (known.size > MOST_REMEMBERED) known.clear();
    known.set(text, result);
    return result;
  };
}
