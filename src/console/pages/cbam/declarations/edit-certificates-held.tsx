import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { NumberField } from "../../../parts/fields/number.js";
import { wholeFrom } from "../../../parts/fields/number-rules.js";
import { Edit } from "../../../parts/forms/edit.js";
import { textOf } from "../../../parts/forms/values.js";
import { type Declaration, READ_DECLARATION } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleUpdateCbamDeclaration($id: UUID!, $version: Int!, $held: SafeInt) {
    updateCbamDeclaration(input: { id: $id, expectedVersion: $version, certificatesHeld: $held }) {
      declaration { id version }
    }
  }
`);

/** Records the number of certificates in the CBAM registry account. */
export function EditCertificatesHeld({ declaration }: { declaration: Declaration }) {
  const { id } = declaration;
  const save = (values: FormData, { version }: Declaration) =>
    run(OPERATION, { id, version, held: readHeld(values) });
  return (
    <Edit<Declaration>
      title={`Certificates held for ${declaration.year}`}
      row={declaration}
      read={async () => (await run(READ_DECLARATION, { id })).cbamDeclaration}
      save={save}
      describe={({ certificatesHeld }) => ({ "Certificates held": certificatesHeld })}
    >
      {({ certificatesHeld }) => (
        <NumberField
          label="Certificates held"
          name="certificatesHeld"
          unit="certificates"
          rule={wholeFrom(0)}
          value={certificatesHeld === null ? "" : String(certificatesHeld)}
          hint="In your account in the CBAM registry. Leave empty if you don't know"
        />
      )}
    </Edit>
  );
}

const readHeld = (values: FormData): number | null => {
  const text = textOf(values, "certificatesHeld");
  return text === "" ? null : Number(text);
};
