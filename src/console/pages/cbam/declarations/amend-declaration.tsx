import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import type { Declaration } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleAmendCbamDeclaration($id: UUID!, $version: Int!) {
    amendCbamDeclaration(input: { id: $id, expectedVersion: $version }) { declaration { id status version } }
  }
`);

/** Opens a submitted declaration for changes, after a confirmation. */
export function AmendDeclaration({ declaration: { id, version, year } }: { declaration: Declaration }) {
  return (
    <Confirm
      title={`Amend the declaration of ${year}?`}
      action="Amend"
      onConfirm={() => run(OPERATION, { id, version })}
    >
      <p>
        Its imports can be changed until it is submitted again, and its totals follow from them and from the
        present figures. The audit trail keeps what was submitted.
      </p>
    </Confirm>
  );
}
