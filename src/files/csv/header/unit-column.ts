import { type Field, type FieldSource, SCOPE_FIELDS } from "../fields.js";
import type { Problems } from "../problems.js";
import { findUnits, type NamedUnits } from "../values/read-unit.js";

/**
 * Determines the unit of the amounts. Reads a column named `unit` unless the names of the amount columns contain a
 * unit. Adds a problem for each of these names that contradicts the unit, which is tonnes by default.
 */
export function readUnitColumn(
  line: number,
  sources: Map<Field, FieldSource>,
  unitColumns: readonly number[],
  problems: Problems,
): void {
  const columns = listAmountColumns(sources);
  const named = columns.filter(({ units, other }) => units.size > 0 || other !== undefined);
  const [index] = unitColumns;
  if (!sources.has("unit") && unitColumns.length === 1 && index !== undefined && named.length === 0) {
    sources.set("unit", { name: "unit", index });
  }
  const first = columns.find(({ units }) => units.size > 0);
  for (const { name, units, other } of named) {
    const got = `a name with ${[...units, ...(other === undefined ? [] : [other])].join(" or ")}`;
    if (other !== undefined) problems.add(line, name, "emissions in a unit of mass", got);
    else if (sources.has("unit")) {
      const isSame = first && [...first.units].join() === [...units].join();
      if (!isSame) problems.add(line, name, "the same unit in all columns of emissions", got);
    } else if (units.size > 1 || !units.has("t")) {
      const suggestions = [...units].map((unit) => ({ unit }));
      problems.add(line, name, "tonnes", got, suggestions);
    }
  }
}

function listAmountColumns(sources: ReadonlyMap<Field, FieldSource>): ({ name: string } & NamedUnits)[] {
  return (["co2e_tonnes", ...SCOPE_FIELDS] as const).flatMap((field) => {
    const source = sources.get(field);
    return source !== undefined && "index" in source
      ? [{ name: source.name, ...findUnits(source.name) }]
      : [];
  });
}
