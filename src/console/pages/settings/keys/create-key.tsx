import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { dayOf, endOfDay } from "../../../parts/days.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { Form } from "../../../parts/forms/form.js";
import { checkSettings, KeyFields, readSettings } from "./key-fields.js";
import type { NewKeyProps } from "./new-key.js";

const OPERATION = graphql(`
  mutation ConsoleCreateApiKey($name: String!, $scopes: [Scope!]!, $tier: Tier!, $expiresAt: DateTime) {
    createApiKey(name: $name, scopes: $scopes, tier: $tier, expiresAt: $expiresAt) {
      key
      apiKey { name scopes }
    }
  }
`);

const PROPOSED_MS = 90 * 86_400_000;

interface CreateKeyProps {
  readonly onClose: () => void;
  readonly onMade: (made: NewKeyProps["made"]) => void;
}

/** The form of a new key, which proposes an end in 90 days. */
export function CreateKey({ onClose, onMade }: CreateKeyProps) {
  const send = async (values: FormData) => {
    const { lastDay, ...settings } = readSettings(values);
    const expiresAt = lastDay ? endOfDay(lastDay) : null;
    const { createApiKey } = await run(OPERATION, { ...settings, expiresAt });
    if (createApiKey) onMade(createApiKey);
    onClose();
  };
  const proposed = { name: "", tier: "FREE", scopes: [], lastDay: dayOf(Date.now() + PROPOSED_MS) } as const;
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <Form submit="Create" onSubmit={send} onCancel={onClose} check={checkSettings}>
        <KeyFields settings={proposed} />
      </Form>
    </Dialog>
  );
}
