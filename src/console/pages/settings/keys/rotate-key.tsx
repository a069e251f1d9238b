import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { textOf } from "../../../parts/forms/values.js";
import { NewKey } from "./new-key.js";
import type { ApiKey } from "./read-keys.js";

const OPERATION = graphql(`
  mutation ConsoleRotateApiKey($id: UUID!, $overlapHours: Int!, $version: Int!) {
    rotateApiKey(input: { id: $id, overlapHours: $overlapHours, expectedVersion: $version }) {
      key
      apiKey { name scopes }
    }
  }
`);

const OVERLAPS: Readonly<Record<string, string>> = {
  "24": "For another day",
  "168": "For another week",
  "1": "For another hour",
  "0": "Not at all",
};

/** Replaces a key, and asks how long the old one continues to work. */
export function RotateKey({ apiKey: { id, name, version } }: { apiKey: ApiKey }) {
  const send = async (values: FormData) => {
    const overlapHours = Number(textOf(values, "overlap"));
    const { rotateApiKey } = await run(OPERATION, { id, overlapHours, version });
    return rotateApiKey && <NewKey made={rotateApiKey} />;
  };
  return (
    <Confirm title={`Rotate ${name}`} action="Rotate" onConfirm={send}>
      <p>This creates a new key with the same name, scopes, tier and expiry.</p>
      <Select
        label="The old key keeps working"
        name="overlap"
        options={["24", "168", "1", "0"]}
        call={(hours) => OVERLAPS[hours] ?? hours}
      />
    </Confirm>
  );
}
