import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { showMessage } from "../../../parts/messages.js";
import type { ApiKey } from "./read-keys.js";

const OPERATION = graphql(`
  mutation ConsoleRevokeApiKey($id: UUID!, $version: Int!) {
    revokeApiKey(input: { id: $id, expectedVersion: $version }) { apiKey { id status } }
  }
`);

/** Revokes a key after a confirmation. */
export function RevokeKey({ apiKey: { id, name, version } }: { apiKey: ApiKey }) {
  const revoke = async () => {
    await run(OPERATION, { id, version });
    showMessage({ text: `API key "${name}" is revoked.` });
  };
  return (
    <Confirm title={`Revoke ${name}`} action="Revoke" onConfirm={revoke}>
      <p>Programs that use this key stop working immediately. You cannot undo this.</p>
    </Confirm>
  );
}
