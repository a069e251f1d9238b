import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useAddress } from "../../../parts/address.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { presentYear, YEARS } from "../names.js";

const OPERATION = graphql(`
  mutation ConsoleCreateCbamDeclaration($year: Int!) {
    createCbamDeclaration(input: { year: $year }) { declaration { id } }
  }
`);

/** Creates the declaration of a year, or finds the existing one, and opens it. */
export function BeginDeclaration() {
  const { change } = useAddress();
  const begin = async (values: FormData) => {
    const { createCbamDeclaration } = await run(OPERATION, { year: Number(textOf(values, "year")) });
    if (createCbamDeclaration) change({ id: createCbamDeclaration.declaration.id, after: "" });
  };
  return (
    <Confirm title="Begin a declaration" action="Begin" onConfirm={begin}>
      <Select
        label="Year of the imports"
        name="year"
        options={YEARS.map(String)}
        value={String(presentYear())}
        hint="There is one declaration for each year. One that is there already is opened"
      />
    </Confirm>
  );
}
