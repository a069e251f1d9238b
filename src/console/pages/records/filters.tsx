import { useAddress } from "../../parts/address.js";
import { Select } from "../../parts/fields/select.js";

/** The scopes of emissions. */
export const SCOPES = ["SCOPE_1", "SCOPE_2", "SCOPE_3"];

interface RecordFiltersProps {
  readonly facilities: readonly { readonly code: string; readonly name: string }[];
  readonly categories: readonly string[];
}

/** Filters of the records. Each choice takes effect at once, from the first page on. */
export function RecordFilters({ facilities, categories }: RecordFiltersProps) {
  const { query, change } = useAddress();
  const { scope = "", facility = "", category = "" } = query;
  const names = new Map(facilities.map(({ code, name }) => [code, name]));
  const choose = (name: string) => (value: string) => change({ [name]: value, after: "" });
  const withChosen = (options: readonly string[], chosen: string) =>
    chosen && !options.includes(chosen) ? [chosen, ...options] : options;
  return (
    <div class="inline">
      <Select
        label="Scope"
        name="scope"
        options={SCOPES}
        value={scope}
        none="All"
        onChange={choose("scope")}
      />
      <Select
        label="Facility"
        name="facility"
        options={withChosen([...names.keys()], facility)}
        call={(code) => names.get(code) ?? code}
        value={facility}
        none="All"
        onChange={choose("facility")}
      />
      <Select
        label="Category"
        name="category"
        options={withChosen(categories, category)}
        value={category}
        none="All"
        onChange={choose("category")}
      />
    </div>
  );
}
