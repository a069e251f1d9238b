import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Field } from "../../../parts/fields/field.js";
import { Edit } from "../../../parts/forms/edit.js";
import { need, textOf } from "../../../parts/forms/values.js";
import { type Declaration, READ_DECLARATION } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleUpdateCbamDeclaration($id: UUID!, $version: Int!, $held: SafeInt) {
    updateCbamDeclaration(input: { id: $id, expectedVersion: $version, certificatesHeld: $held }) {
      declaration { id version }
    }
  }
`);

/** Records how many certificates are on the account in the CBAM registry. */
export function ChangeHeld({ declaration }: { declaration: Declaration }) {
  const { id } = declaration;
  const save = (values: FormData, { version }: Declaration) =>
    run(OPERATION, { id, version, held: readHeld(values) });
  return (
    <Edit<Declaration>
      title={`Certificates held for ${declaration.year}`}
      row={declaration}
      read={async () => (await run(READ_DECLARATION, { id })).cbamDeclaration}
      save={save}
      check={checkHeld}
      describe={({ certificatesHeld }) => ({ "Certificates held": certificatesHeld })}
    >
      {({ certificatesHeld }) => (
        <Field
          label="Certificates held"
          name="certificatesHeld"
          type="number"
          value={certificatesHeld === null ? "" : String(certificatesHeld)}
          hint="On the account in the CBAM registry. Empty if that is not known"
        />
      )}
    </Edit>
  );
}

const readHeld = (values: FormData): number | null => {
  const text = textOf(values, "certificatesHeld");
  return text === "" ? null : Number(text);
};

function checkHeld(values: FormData) {
  const held = readHeld(values);
  const isCount = held === null || (Number.isSafeInteger(held) && held >= 0);
  return need("certificatesHeld", isCount, `Expected a whole number from 0 on, got ${held}.`);
}
