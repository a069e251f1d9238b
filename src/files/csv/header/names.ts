import { quote } from "../problems.js";

/** Indexes of the columns with a name; case counts only if a column has exactly this name. */
export function findNamed(names: readonly string[], wanted: string): number[] {
  const at = (same: (name: string) => boolean) => names.flatMap((name, index) => (same(name) ? [index] : []));
  const exact = at((name) => name === wanted);
  return exact.length > 0 ? exact : at((name) => name.toLowerCase() === wanted.toLowerCase());
}

/** The index of the column that an option chooses by name or number (`#7`), or what was expected instead. */
export function findChosen(names: readonly string[], wanted: string): number | string {
  const found = findNamed(names, wanted.trim());
  if (found.length === 1 && found[0] !== undefined) return found[0];
  if (found.length > 1) {
    return `the column once (${found.map((index) => `#${index + 1}`).join(" or ")} says which)`;
  }
  const number = Number(/^#([1-9]\d{0,4})$/.exec(wanted)?.[1] ?? Number.NaN);
  if (Number.isNaN(number)) return "a column of this name";
  return number <= names.length ? number - 1 : `a column number of at most ${names.length}`;
}

/** The first twelve names of a header, for a problem. */
export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, 12).map((name) => quote(name));
  if (names.length > 12) shown.push(`${names.length - 12} more`);
  return shown.length === 0 ? "an empty line" : `the columns ${shown.join(", ")}`;
}
