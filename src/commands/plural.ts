/** A count and its noun, such as `1 facility` and `2 facilities`. */
export function plural(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${`${noun}s`.replace(/ys$/, "ies").replace(/chs$/, "ches")}`;
}
