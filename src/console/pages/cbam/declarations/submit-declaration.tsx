import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Exact, Money } from "../../../parts/numbers.js";
import type { Declaration } from "./read-declarations.js";

const OPERATION = graphql(`
  mutation ConsoleSubmitCbamDeclaration($id: UUID!, $version: Int!) {
    submitCbamDeclaration(input: { id: $id, expectedVersion: $version }) { declaration { id status version } }
  }
`);

/** Submits a declaration after a confirmation. */
export function SubmitDeclaration({ declaration }: { declaration: Declaration }) {
  const { id, version, year, imports, certificates, certificatesToBuy, costEur } = declaration;
  return (
    <Confirm
      title={`Submit the declaration of ${year}?`}
      action="Submit"
      onConfirm={() => run(OPERATION, { id, version })}
    >
      <p>
        <Exact value={imports.length} /> imports, <Exact value={certificatesToBuy} /> whole certificates to
        buy, <Money value={costEur} /> EUR for <Exact value={certificates} /> certificates. The totals stay as
        they are now, and the imports cannot be changed unless you amend it. Nothing is sent to the CBAM
        registry.
      </p>
    </Confirm>
  );
}
