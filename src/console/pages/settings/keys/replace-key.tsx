import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { OverlapField, overlapIn } from "../credentials/fields.js";
import { NewKey } from "./new-key.js";
import type { ApiKey } from "./read-keys.js";

const ROTATE = graphql(`
  mutation ConsoleRotateApiKey($id: UUID!, $overlapHours: Int!, $version: Int!) {
    rotateApiKey(input: { id: $id, overlapHours: $overlapHours, expectedVersion: $version }) {
      key
      apiKey { name scopes }
    }
  }
`);

const REVOKE = graphql(`
  mutation ConsoleRevokeApiKey($id: UUID!, $version: Int!) {
    revokeApiKey(input: { id: $id, expectedVersion: $version }) { apiKey { id status } }
  }
`);

interface KeyProps {
  readonly apiKey: ApiKey;
}

/** Replaces a key, and asks how long the old one should keep working. */
export function RotateKey({ apiKey: { id, name, version } }: KeyProps) {
  const send = async (values: FormData) => {
    const { rotateApiKey } = await run(ROTATE, { id, overlapHours: overlapIn(values), version });
    return rotateApiKey && <NewKey created={rotateApiKey} />;
  };
  return (
    <Confirm title={`Rotate ${name}?`} action="Rotate" onConfirm={send}>
      <p>This creates a new key with the same name, scopes, tier and expiry.</p>
      <OverlapField of="key" />
    </Confirm>
  );
}

/** Revokes a key after a confirmation. */
export const RevokeKey = ({ apiKey: { id, name, version } }: KeyProps) => (
  <Confirm
    title={`Revoke ${name}?`}
    action="Revoke"
    onConfirm={() => run(REVOKE, { id, version })}
    successMessage={`API key "${name}" revoked.`}
  >
    <p>Programs that use this key will stop working immediately. You can't undo this.</p>
  </Confirm>
);
