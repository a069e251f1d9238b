/** Joins the first five of several names, and counts the others. */
export function listSome(names: readonly string[], separator = ", "): string {
  const others = names.length - 5;
  return names.slice(0, 5).join(separator) + (others > 0 ? ` and ${others} more` : "");
}
