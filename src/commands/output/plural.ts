/** Returns a count with its noun: `1 facility`, `2 facilities`. */
export function plural(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${`${noun}s`.replace(/ys$/, "ies").replace(/chs$/, "ches")}`;
}
