import type { RefusalReason } from "../../../../domain/sso/sso-refusals.js";
import { type ConsoleRefusalsQuery, graphql } from "../../../../generated/console.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Moment } from "../../../parts/moment.js";
import { LoadedField } from "../../../parts/states.js";
import { type Column, Table } from "../../../parts/table.js";

const READ = graphql(`
  query ConsoleRefusals {
    auditLog {
      entries(filter: { action: "sso.refused" }, first: 20) {
        nodes { id occurredAt changes requestId }
      }
    }
  }
`);

type Refusal = NonNullable<ConsoleRefusalsQuery["auditLog"]>["entries"]["nodes"][number];

/** Explanations of refusals for owners. */
const REASONS: Readonly<Record<RefusalReason, string>> = {
  state: "The sign-in was started in another browser, already used, or took longer than 10 minutes.",
  issuer: "The response has a different issuer than the one you entered. Check the issuer.",
  audience: "The ID token is for another application. Check the client ID.",
  authorized_party: "The ID token was issued to another application. Check the client ID.",
  nonce: "The response belongs to another sign-in.",
  signature:
    "The signature is invalid. It must be RS256, PS256, ES256 or EdDSA with a key that the provider publishes.",
  expired: "The ID token has expired, or the provider's clock is off by more than a minute.",
  code: "The provider rejected the code: it was already used or has expired.",
  email_missing: "The claims have no e-mail address. Configure the provider to send the email claim.",
  email_unverified:
    "The provider did not confirm that the e-mail address is verified. If it never does, accept that in the provider settings.",
  domain_not_proven: "The domain of the e-mail address is not proven. Add it under Domains.",
  account_unconfirmed:
    "The existing account has not confirmed its address. The user must reset the password first.",
  identity_conflict: "The account is linked to a different identity at the provider.",
  disabled: "The account is disabled.",
  not_provisioned: "Your directory has not added this user.",
  provider_error:
    "The provider returned an error. Check the client ID and secret, and that the user may use the application.",
  provider_unreachable: "The gateway could not reach the provider.",
};

const COLUMNS: readonly Column<Refusal>[] = [
  { title: "Reason", wraps: true, cell: ({ changes }) => describe(changes?.["reason"]) },
  { title: "When", cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { title: "Request ID", cell: ({ requestId }) => requestId && <code>{requestId}</code> },
];

const describe = (reason: unknown) => REASONS[reason as RefusalReason] ?? String(reason);

/** The latest refused single sign-ons, with the request ids that users see. */
export function Refusals() {
  const answer = useQuery(READ, {});
  return (
    <section class="card">
      <h2>Refused sign-ins</h2>
      <LoadedField answer={answer} skeleton="line" field="auditLog">
        {({ entries }) => (
          <Table caption="Refused sign-ins" rows={entries.nodes} columns={COLUMNS}>
            No refused sign-ins.
          </Table>
        )}
      </LoadedField>
    </section>
  );
}
