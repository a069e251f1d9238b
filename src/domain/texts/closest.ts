/** Returns the Levenshtein distance of two strings. */
function distanceOf(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const line = [row + 1];
    for (const [column, wanted] of [...other].entries()) {
      const replaced = (above[column] ?? 0) + (letter === wanted ? 0 : 1);
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}

const MAX_LENGTH = 40;

/** Returns the name that `text` probably misspells: by default, at most two characters or a third of them differ. */
export function findClosest(
  text: string,
  names: readonly string[],
  max = Math.max(2, Math.floor(text.length / 3)),
): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const [closest] = names
    .map((name) => ({ name, distance: distanceOf(text.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= max && distance < Math.min(name.length, text.length))
    .sort((one, other) => one.distance - other.distance);
  return closest?.name;
}
