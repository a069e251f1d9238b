import type { EmissionScope } from "../../../generated/console.js";
import { useAddress } from "../../parts/address.js";
import { Select } from "../../parts/fields/select.js";
import { nameOf } from "../../parts/names.js";

/** The scopes of emissions. */
export const SCOPES: readonly EmissionScope[] = ["SCOPE_1", "SCOPE_2", "SCOPE_3"];

interface RecordFiltersProps {
  readonly facilities: readonly { readonly code: string; readonly name: string }[];
  readonly categories: readonly string[];
}

/** Filters of the records. Each choice applies immediately and returns to the first page. */
export function RecordFilters({ facilities, categories }: RecordFiltersProps) {
  const { query, change } = useAddress();
  const names = new Map(facilities.map(({ code, name }) => [code, name]));
  const filter = (name: "scope" | "facility" | "category", options: readonly string[]) => {
    const value = query[name] ?? "";
    return {
      label: nameOf(name.toUpperCase()),
      name,
      value,
      options: value && !options.includes(value) ? [value, ...options] : options,
      none: "All",
      onChange: (chosen: string) => change({ [name]: chosen, after: "" }),
    };
  };
  return (
    <div class="inline">
      <Select {...filter("scope", SCOPES)} />
      <Select {...filter("facility", [...names.keys()])} call={(code) => names.get(code) ?? code} />
      <Select {...filter("category", categories)} />
    </div>
  );
}
