import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { dayOf, endOfDay } from "../../../parts/days.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { checkSettings, KeyFields, readSettings } from "./key-fields.js";
import { NewKey } from "./new-key.js";

const OPERATION = graphql(`
  mutation ConsoleCreateApiKey($name: String!, $scopes: [Scope!]!, $tier: Tier!, $expiresAt: DateTime) {
    createApiKey(input: { name: $name, scopes: $scopes, tier: $tier, expiresAt: $expiresAt }) {
      key
      apiKey { name scopes }
    }
  }
`);

const PROPOSED_MS = 90 * 86_400_000;

/** The form of a new key. It suggests an expiry in 90 days, and shows the key once. */
export function CreateKey() {
  const send = async (values: FormData) => {
    const { lastDay, ...settings } = readSettings(values);
    const expiresAt = lastDay ? endOfDay(lastDay) : null;
    const { createApiKey } = await run(OPERATION, { ...settings, expiresAt });
    return createApiKey && <NewKey made={createApiKey} />;
  };
  const proposed = { name: "", tier: "FREE", scopes: [], lastDay: dayOf(Date.now() + PROPOSED_MS) } as const;
  return (
    <Confirm title="Create an API key" action="Create" onConfirm={send} check={checkSettings}>
      <KeyFields settings={proposed} />
    </Confirm>
  );
}
