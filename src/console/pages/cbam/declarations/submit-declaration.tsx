import { countOf } from "../../../../domain/texts/count-of.js";
import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Exact, Money } from "../../../parts/numbers.js";
import { Notices } from "../notices.js";
import type { Declaration } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleSubmitCbamDeclaration($id: UUID!, $version: Int!) {
    submitCbamDeclaration(input: { id: $id, expectedVersion: $version }) { declaration { id status version } }
  }
`);

/** Submits a declaration after a confirmation. */
export function SubmitDeclaration({ declaration }: { declaration: Declaration }) {
  const { id, version, year, imports, certificatesToBuy, costToBuyEur, notices } = declaration;
  return (
    <Confirm
      title={`Submit the declaration of ${year}?`}
      action="Submit"
      onConfirm={() => run(OPERATION, { id, version })}
    >
      <p>
        {countOf(imports.length, "import")}, <Exact value={certificatesToBuy} /> certificates for{" "}
        <Money value={costToBuyEur ?? null} /> EUR. The totals will be fixed, and the imports locked unless
        you amend the declaration. Nothing is sent to the CBAM registry.
      </p>
      <Notices notices={notices} />
    </Confirm>
  );
}
