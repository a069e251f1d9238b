import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import type { ApiKey } from "./read-keys.js";

const OPERATION = graphql(`
  mutation ConsoleRevokeApiKey($id: UUID!, $version: Int!) {
    revokeApiKey(input: { id: $id, expectedVersion: $version }) { apiKey { id status } }
  }
`);

/** Revokes a key after a confirmation. */
export function RevokeKey({ apiKey: { id, name, version } }: { apiKey: ApiKey }) {
  return (
    <Confirm title={`Revoke ${name}`} action="Revoke" onConfirm={() => run(OPERATION, { id, version })}>
      <p>Every program that uses this key stops working at once. A revoked key never works again.</p>
    </Confirm>
  );
}
