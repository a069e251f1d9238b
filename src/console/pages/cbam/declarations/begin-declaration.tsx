import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form, textOf } from "../../../parts/forms/form.js";
import { presentYear, YEARS } from "../years.js";

const OPERATION = graphql(`
  mutation ConsoleCreateCbamDeclaration($year: Int!) {
    createCbamDeclaration(year: $year) { declaration { id } }
  }
`);

interface BeginDeclarationProps {
  readonly onClose: () => void;
  /** Gets the declaration of the year, which may have been there already. */
  readonly onBegun: (id: string) => void;
}

/** Begins the declaration of a year. */
export function BeginDeclaration({ onClose, onBegun }: BeginDeclarationProps) {
  const begin = async (values: FormData) => {
    const { createCbamDeclaration } = await run(OPERATION, { year: Number(textOf(values, "year")) });
    if (createCbamDeclaration) onBegun(createCbamDeclaration.declaration.id);
  };
  return (
    <Dialog title="Begin a declaration" onClose={onClose}>
      <Form submit="Begin" onSubmit={begin} onCancel={onClose}>
        <Select
          label="Year of the imports"
          name="year"
          options={YEARS.map(String)}
          value={String(presentYear())}
          hint="There is one declaration for each year. One that is there already is opened"
        />
      </Form>
    </Dialog>
  );
}
