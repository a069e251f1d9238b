import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { originOf } from "../names.js";
import type { Declaration, Import } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleRemoveCbamImport($declaration: UUID!, $id: UUID!, $version: Int!) {
    removeCbamImport(input: { declarationId: $declaration, id: $id, expectedVersion: $version }) {
      declaration { id version }
    }
  }
`);

/** Removes an import after a confirmation. */
export function RemoveImport({ declaration, imported }: { declaration: Declaration; imported: Import }) {
  const { cnCode, country, massT, quarter } = imported;
  const { id, version, year } = declaration;
  return (
    <Confirm
      title={`Remove ${cnCode}?`}
      action="Remove"
      onConfirm={() => run(OPERATION, { declaration: id, id: imported.id, version })}
    >
      <p>
        {massT} t from {originOf(country)}, {quarter}, will be removed from the declaration of {year}. The
        audit trail keeps a copy.
      </p>
    </Confirm>
  );
}
