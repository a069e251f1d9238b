import { quote } from "../problems.js";

/** Maximum number of columns to list in a problem. */
export const MAX_SHOWN = 12;

/** Finds the columns of a header by their names. */
export interface NameFinder {
  /** Returns the indexes of the columns with a name. Ignores case unless a column has exactly this name. */
  findNamed(wanted: string): readonly number[];
  /** Returns the index of the column that an option selects by name or number (`#7`), or what was expected instead. */
  findChosen(wanted: string): number | string;
}

/** Creates the lookup of a header's columns. */
export function createNameFinder(names: readonly string[]): NameFinder {
  const exact = indexBy(names, (name) => name);
  const folded = indexBy(names, (name) => name.toLowerCase());
  const findNamed = (wanted: string) => exact.get(wanted) ?? folded.get(wanted.toLowerCase()) ?? [];
  return {
    findNamed,
    findChosen(wanted) {
      const found = findNamed(wanted.trim());
      if (found.length === 1 && found[0] !== undefined) return found[0];
      if (found.length > 1) {
        const numbers = found.slice(0, MAX_SHOWN).map((index) => `#${index + 1}`);
        return `a unique column (${numbers.join(" or ")})`;
      }
      const number = Number(/^#([1-9]\d{0,4})$/.exec(wanted)?.[1] ?? Number.NaN);
      if (Number.isNaN(number)) return "a column with this name";
      return number <= names.length ? number - 1 : `a column number of at most ${names.length}`;
    },
  };
}

function indexBy(names: readonly string[], keyOf: (name: string) => string): Map<string, number[]> {
  const indexes = new Map<string, number[]>();
  for (const [index, name] of names.entries()) {
    const key = keyOf(name);
    const found = indexes.get(key);
    if (found) found.push(index);
    else indexes.set(key, [index]);
  }
  return indexes;
}

/** Lists the first names of a header, for a problem. */
export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => quote(name));
  if (names.length > MAX_SHOWN) shown.push(`${names.length - MAX_SHOWN} more`);
  return shown.length === 0 ? "an empty line" : `the columns ${shown.join(", ")}`;
}
