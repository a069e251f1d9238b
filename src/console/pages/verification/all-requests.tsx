import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { nameOf } from "../../parts/names.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { daysOf, scopesOf } from "./names.js";
import { type ListedRequest, READ_REQUESTS } from "./read-requests.js";
import { RequestVerification } from "./request-verification.js";

/** The organization's requests, latest first. */
export function AllRequests() {
  const { query } = useAddress();
  const answer = useQuery(READ_REQUESTS, { after: query["after"] ?? null });
  const mayAsk = useScope("request:verification");
  return (
    <Dialogs>
      <div class="row">
        <p class="quiet">
          Have an independent verifier review a reporting period. Its records are locked once you submit it.
          You get a certificate that anyone can check.
        </p>
        {mayAsk && <DialogButton label="Request verification" opens={<RequestVerification />} />}
      </div>
      <LoadedField answer={answer} skeleton="short" field="verificationRequests">
        {(verificationRequests) => (
          <List caption="Verification requests" {...verificationRequests} columns={COLUMNS}>
            No verification requests yet.{" "}
            {mayAsk ? "Request one for a past period." : "Ask an admin of your organization to request one."}
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<ListedRequest>[] = [
  {
    title: "Number",
    cell: ({ id, number }) => <a href={`/console/verification?${new URLSearchParams({ id })}`}>{number}</a>,
  },
  { title: "Status", cell: ({ status }) => nameOf(status) },
  { title: "Period", cell: ({ period }) => daysOf(period) },
  { title: "Scopes", wraps: true, cell: ({ scopes }) => scopesOf(scopes) },
  { title: "Verifier", wraps: true, cell: ({ verifier }) => verifier.email },
  {
    title: "Certificate",
    wraps: true,
    cell: ({ certificate }) =>
      certificate && (
        <>
          <a href={certificate.verifyUrl}>{certificate.number}</a>, {certificate.status.toLowerCase()}
        </>
      ),
  },
];
