import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Search } from "../../../parts/fields/search.js";

const FIND = graphql(`
  query ConsoleFindFacilities($search: String) {
    facilities(search: $search, first: 50) { nodes { code name country } }
  }
`);

/** The facility chosen in a form. */
export interface ChosenFacility {
  readonly code: string;
  readonly name: string;
  readonly country: string | null;
}

interface FacilitySearchProps {
  readonly chosen: ChosenFacility | null;
  readonly onChoose: (facility: ChosenFacility | null) => void;
}

/** Searches the organization's facilities that are not archived. */
export function FacilitySearch(props: FacilitySearchProps) {
  return (
    <Search<ChosenFacility>
      label="Facility"
      name="facility"
      find={findFacilities}
      labelOf={({ name }) => name}
      {...props}
    >
      {({ code, name }) => (
        <>
          {name} <span class="quiet">{code}</span>
        </>
      )}
    </Search>
  );
}

const findFacilities = async (search: string, signal: AbortSignal) =>
  (await run(FIND, { search: search || null }, signal)).facilities?.nodes ?? [];
