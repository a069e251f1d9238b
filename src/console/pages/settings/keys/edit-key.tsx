import { KEY_SCOPES } from "../../../../domain/scopes.js";
import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { dayOf } from "../../../parts/days.js";
import { Edit } from "../../../parts/forms/edit.js";
import { changesOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { writeDay } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { checkShared, expiryOf } from "../credentials/fields.js";
import { KeyFields, type KeySettings, readSettings } from "./key-fields.js";

const READ = graphql(`
  query ConsoleApiKey($id: UUID!) {
    apiKey(id: $id) { id name tier scopes expiresAt version }
  }
`);

const UPDATE = graphql(`
  mutation ConsoleUpdateApiKey($input: UpdateApiKeyInput!) {
    updateApiKey(input: $input) { apiKey { id version } }
  }
`);

interface EditableKey extends Omit<KeySettings, "lastDay"> {
  readonly id: string;
  readonly version: number;
  readonly expiresAt: string | null;
}

export function EditKey({ apiKey }: { apiKey: EditableKey }) {
  const { id } = apiKey;
  const save = async (values: FormData, key: EditableKey) => {
    const changes = patchOf(settingsOf(key), readSettings(values));
    if (Object.keys(changes).length === 0) return;
    await run(UPDATE, { input: { id, ...changes, expectedVersion: key.version } });
    showMessage({ text: `API key "${changes.name ?? key.name}" saved.` });
  };
  return (
    <Edit<EditableKey>
      title={`Edit ${apiKey.name}`}
      row={apiKey}
      read={async () => (await run(READ, { id })).apiKey}
      save={save}
      check={checkShared}
      describe={describeKey}
    >
      {(key) => <KeyFields settings={settingsOf(key)} />}
    </Edit>
  );
}

const settingsOf = ({ name, tier, scopes, expiresAt }: EditableKey): KeySettings => ({
  name,
  tier,
  // In the order of the checkboxes.
  scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
  lastDay: expiresAt === null ? "" : dayOf(expiresAt),
});

function describeKey(key: EditableKey) {
  const { name, tier, scopes, lastDay } = settingsOf(key);
  return {
    Name: name,
    Tier: nameOf(tier),
    Expires: lastDay ? writeDay(lastDay) : "Never",
    "Data it can read": scopes.join(", "),
  };
}

/** Returns the changed settings. An expiry in the middle of a day is kept unless the user chooses another day. */
function patchOf(before: KeySettings, after: KeySettings) {
  const { lastDay, ...changes } = changesOf(before, after);
  return { ...changes, ...(lastDay !== undefined && { expiresAt: expiryOf(lastDay) }) };
}
