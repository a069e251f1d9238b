import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { checkShared, expiryOf, proposedLastDay } from "../credentials/fields.js";
import { KeyFields, readSettings } from "./key-fields.js";
import { NewKey } from "./new-key.js";

const OPERATION = graphql(`
  mutation ConsoleCreateApiKey($name: String!, $scopes: [Scope!]!, $tier: Tier!, $expiresAt: DateTime) {
    createApiKey(input: { name: $name, scopes: $scopes, tier: $tier, expiresAt: $expiresAt }) {
      key
      apiKey { name scopes }
    }
  }
`);

/** The form for a new key. Suggests an expiry in 90 days and shows the key once. */
export function CreateKey() {
  const send = async (values: FormData) => {
    const { lastDay, ...settings } = readSettings(values);
    const { createApiKey } = await run(OPERATION, { ...settings, expiresAt: expiryOf(lastDay) });
    return createApiKey && <NewKey created={createApiKey} />;
  };
  const proposed = { name: "", tier: "FREE", scopes: [], lastDay: proposedLastDay() } as const;
  return (
    <Confirm title="Create API key" action="Create" onConfirm={send} check={checkShared}>
      <KeyFields settings={proposed} />
    </Confirm>
  );
}
