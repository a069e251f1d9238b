import { groupBy } from "../../../domain/group-by.js";
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

/** Creates a finder for one header. */
export function createNameFinder(names: readonly string[]): NameFinder {
  const exact = groupBy(names.keys(), (index) => names[index]);
  const folded = groupBy(names.keys(), (index) => names[index]?.toLowerCase());
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

/** Lists the first names of a header, for a problem. */
export function describeNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_SHOWN).map((name) => quote(name));
  if (names.length > MAX_SHOWN) shown.push(`${names.length - MAX_SHOWN} more`);
  return shown.length === 0 ? "an empty line" : `the columns ${shown.join(", ")}`;
}
