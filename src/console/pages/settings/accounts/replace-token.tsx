import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { OverlapField, overlapIn } from "../credentials/fields.js";
import { NewToken } from "./new-token.js";
import type { Account } from "./read-accounts.js";

const ROTATE = graphql(`
  mutation ConsoleRotateServiceAccount($id: UUID!, $overlapHours: Int!, $version: Int!) {
    rotateServiceAccount(input: { id: $id, overlapHours: $overlapHours, expectedVersion: $version }) {
      token
      serviceAccount { name scopes }
    }
  }
`);

const REVOKE = graphql(`
  mutation ConsoleRevokeServiceAccount($id: UUID!, $version: Int!) {
    revokeServiceAccount(input: { id: $id, expectedVersion: $version }) { serviceAccount { id status } }
  }
`);

interface AccountProps {
  readonly account: Account;
}

/** Creates a new token, and asks how long the old one should keep working. */
export function RotateToken({ account: { id, name, version } }: AccountProps) {
  const send = async (values: FormData) => {
    const { rotateServiceAccount } = await run(ROTATE, { id, overlapHours: overlapIn(values), version });
    return rotateServiceAccount && <NewToken created={rotateServiceAccount} />;
  };
  return (
    <Confirm title={`Rotate the token of ${name}?`} action="Rotate" onConfirm={send}>
      <p>This creates a new token with the same lifetime as the old one. Role and scopes don't change.</p>
      <OverlapField of="token" />
    </Confirm>
  );
}

/** Revokes a service account after a confirmation. */
export const RevokeAccount = ({ account: { id, name, version } }: AccountProps) => (
  <Confirm
    title={`Revoke ${name}?`}
    action="Revoke"
    onConfirm={() => run(REVOKE, { id, version })}
    successMessage={`Service account "${name}" revoked.`}
  >
    <p>Programs that use its tokens will stop working immediately. You can't undo this.</p>
  </Confirm>
);
