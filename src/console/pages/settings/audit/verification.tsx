import { useState } from "preact/hooks";
import { type ConsoleAuditVerificationQuery, graphql } from "../../../../generated/console.js";
import { messageOf } from "../../../gateway/failure.js";
import { run } from "../../../gateway/run.js";
import { Button } from "../../../parts/button.js";
import { Exact } from "../../../parts/numbers.js";

const OPERATION = graphql(`
  query ConsoleAuditVerification {
    auditLog {
      verification { isIntact entries firstBrokenSeq head { seq hash } }
    }
  }
`);

type Result = NonNullable<ConsoleAuditVerificationQuery["auditLog"]>["verification"];

/** Checks that every entry is unchanged, and offers an export of all entries for a check elsewhere. */
export function Verification() {
  const [result, setResult] = useState<Result>();
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const verify = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      setResult((await run(OPERATION, {})).auditLog?.verification);
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="row">
      <p role="status">
        {failure !== undefined && <span class="complaint">{messageOf(failure)}</span>}
        {result?.isIntact && (
          <>
            ✓ Checked: none of the <Exact value={result.entries} /> entries was changed or removed.
          </>
        )}
        {result?.isIntact === false && (
          <span class="complaint">
            Entry {result.firstBrokenSeq} was changed or removed, or does not belong here. Inform the operator
            of the gateway.
          </span>
        )}
      </p>
      <a href="/api/v1/audit/log/export" download="audit-trail.ndjson">
        Export all entries
      </a>
      <Button label="Check the trail" aria-busy={isBusy} onClick={verify} />
    </div>
  );
}
