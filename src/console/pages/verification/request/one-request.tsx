import { useQuery } from "../../../gateway/use-query.js";
import { Dialogs } from "../../../parts/forms/dialogs.js";
import { Empty, Loaded } from "../../../parts/states.js";
import { READ_REQUEST } from "../read-requests.js";
import { Certificate, Snapshot } from "./certificate.js";
import { Findings } from "./findings.js";
import { History } from "./history.js";
import { RequestRecords } from "./request-records.js";
import { RequestState } from "./request-state.js";

/** A request, with the actions of its organization or its verifier. */
export function OneRequest({ id }: { id: string }) {
  const answer = useQuery(READ_REQUEST, { id });
  return (
    <Dialogs onClosed={answer.reload}>
      <Loaded answer={answer} skeleton="emissions">
        {({ verificationRequest: request }) =>
          request ? (
            <>
              <RequestState request={request} />
              {request.certificate && <Certificate request={request} certificate={request.certificate} />}
              {request.snapshot && <Snapshot snapshot={request.snapshot} />}
              {request.snapshot && <Findings request={request} />}
              <RequestRecords request={request} />
              <History request={request} />
            </>
          ) : (
            <Empty>Request not found, or you don't have access to it.</Empty>
          )
        }
      </Loaded>
    </Dialogs>
  );
}
