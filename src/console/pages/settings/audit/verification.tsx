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

/** Verifies that all entries are intact. Also exports all entries, so that users can verify them elsewhere. */
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
            ✓ Verified: none of the <Exact value={result.entries} /> entries was changed or removed.
          </>
        )}
        {result?.isIntact === false && (
          <span class="complaint">
            Entry {result.firstBrokenSeq} was changed, removed or inserted. Contact the operator of the
            gateway.
          </span>
        )}
      </p>
      <a href="/api/v1/audit/log/export" download="audit-trail.ndjson">
        Export all entries
      </a>
      <Button label="Verify audit trail" aria-busy={isBusy} onClick={verify} />
    </div>
  );
}
