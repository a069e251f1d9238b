import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useAddress } from "../../../parts/address.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { currentYear, YEARS } from "../names.js";

const OPERATION = graphql(`
  mutation ConsoleCreateCbamDeclaration($year: Int!) {
    createCbamDeclaration(input: { year: $year }) { declaration { id } }
  }
`);

/** Creates the declaration of a year, or finds the existing one; returns its id. */
export async function startDeclaration(year: number): Promise<string> {
  const { createCbamDeclaration: created } = await run(OPERATION, { year });
  if (!created) throw new Error("The gateway did not return the declaration.");
  return created.declaration.id;
}

/** Creates the declaration of a year, or finds the existing one, and opens it. */
export function StartDeclaration() {
  const { change } = useAddress();
  const begin = async (values: FormData) => {
    change({ id: await startDeclaration(Number(textOf(values, "year"))), after: "" });
  };
  return (
    <Confirm title="Start a declaration" action="Start" onConfirm={begin}>
      <Select
        label="Year of the imports"
        name="year"
        options={YEARS.map(String)}
        value={String(currentYear())}
        hint="One declaration per year. If it already exists, it opens"
      />
    </Confirm>
  );
}
