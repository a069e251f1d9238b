import { useEffect, useRef, useState } from "preact/hooks";
import type { EmissionRecordOrder, EmissionScope } from "../../../generated/console.js";
import { useAddress } from "../../parts/address.js";
import { Field } from "../../parts/fields/field.js";
import { Select } from "../../parts/fields/select.js";
import { nameOf } from "../../parts/names.js";

export const SCOPES: readonly EmissionScope[] = ["SCOPE_1", "SCOPE_2", "SCOPE_3"];

/** Sort fields of the list, by their names in the address. */
export const ORDERS: Readonly<Record<string, EmissionRecordOrder>> = {
  day: "RECORDED_ON",
  amount: "CO2E_TONNES",
};

const PAUSE_MS = 300;

/** The search field. Searches when the user pauses typing, and returns to the first page. */
export function RecordSearch() {
  const { query, change } = useAddress();
  const { search = "" } = query;
  const [text, setText] = useState(search);
  const applied = useRef(search);
  useEffect(() => {
    const next = text.trim();
    if (next === applied.current) return;
    const timer = setTimeout(() => {
      applied.current = next;
      change({ search: next, after: "" }, true);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, change]);
  // Updates the field when the user goes back to another search or follows a link.
  useEffect(() => {
    if (search === applied.current) return;
    applied.current = search;
    setText(search);
  }, [search]);
  return (
    <Field
      label="Search"
      name="search"
      type="search"
      hint="Reference, category, source or note"
      value={text}
      onInput={setText}
    />
  );
}

interface RecordFiltersProps {
  readonly facilities: readonly { readonly code: string; readonly name: string }[];
  readonly categories: readonly string[];
}

/** The filters of the list. Each choice applies immediately and returns to the first page. */
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
      <Select {...filter("facility", [...names.keys()])} labelOf={(code) => names.get(code) ?? code} />
      <Select {...filter("category", categories)} />
    </div>
  );
}
