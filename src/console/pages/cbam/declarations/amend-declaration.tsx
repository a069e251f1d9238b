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
        You can change its imports until you submit it again. Its totals will be computed again with the
        current figures. The audit trail keeps the submitted ones.
      </p>
    </Confirm>
  );
}
