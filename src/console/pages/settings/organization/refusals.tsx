import type { RefusalReason } from "../../../../domain/sso/sso-refusals.js";
import { type ConsoleRefusalsQuery, graphql } from "../../../../generated/console.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Moment } from "../../../parts/moment.js";
import { Shown } from "../../../parts/states.js";
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

/** Reasons of refusals, as an owner reads them: what happened, and what to do. */
const REASONS: Readonly<Record<RefusalReason, string>> = {
  state: "The sign-in was begun in another browser, was used before, or took longer than 10 minutes.",
  issuer: "The answer names another issuer than the one you entered.",
  audience: "The ID token is for another application. Check the client ID.",
  authorized_party: "The ID token was issued to another application. Check the client ID.",
  nonce: "The answer belongs to another sign-in.",
  signature:
    "The signature is wrong. It must be RS256, PS256, ES256 or EdDSA, by a key that the provider publishes.",
  expired: "The ID token has expired, or the provider's clock is wrong by more than a minute.",
  code: "The provider did not accept the code: it was used before, or came too late.",
  email_missing: "The claims have no e-mail address. Have the provider send the claim email.",
  email_unverified:
    "The provider did not say that the e-mail address is verified. If it never says so, accept that in its settings.",
  domain_not_proven: "The domain of the e-mail address is not proven.",
  account_unconfirmed:
    "Nobody has confirmed the address of the account that exists. Its person has to reset the password first.",
  identity_conflict: "The account is linked to another person at the provider.",
  disabled: "The account is disabled.",
  not_provisioned: "Your directory has not added the person.",
  provider_error:
    "The provider answered with an error. Check the client ID and secret, and if the person may use the application.",
  provider_unreachable: "The gateway could not reach the provider.",
};

const COLUMNS: readonly Column<Refusal>[] = [
  { title: "Reason", wraps: true, cell: ({ changes }) => describe(changes?.["reason"]) },
  { title: "When", cell: ({ occurredAt }) => <Moment at={occurredAt} /> },
  { title: "Request ID", cell: ({ requestId }) => requestId && <code>{requestId}</code> },
];

const describe = (reason: unknown) => REASONS[reason as RefusalReason] ?? String(reason);

/** The latest sign-ins that the organization's provider was refused for, with the ids that their people can tell. */
export function Refusals() {
  const answer = useQuery(READ, {});
  return (
    <section class="card">
      <h2>Refused sign-ins</h2>
      <Shown answer={answer} as="line" of="auditLog">
        {({ entries }) => (
          <Table caption="Refused sign-ins" rows={entries.nodes} columns={COLUMNS}>
            No sign-in was refused.
          </Table>
        )}
      </Shown>
    </section>
  );
}
