import { useState } from "preact/hooks";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { Form } from "../../parts/forms/form.js";
import { SecretDialog } from "../../parts/forms/secret-dialog.js";
import { showMessage } from "../../parts/messages.js";
import { LoadedField } from "../../parts/states.js";
import { Categories } from "./notifications/categories.js";
import { Channels } from "./notifications/channels.js";
import { Digest } from "./notifications/digest.js";
import { checkPatch, readPatch } from "./notifications/read-patch.js";
import { channelsOf, type Settings } from "./notifications/settings.js";

const OPERATION = graphql(`
  query ConsoleNotificationPreferences {
    viewer {
      notificationPreferences { settings version }
    }
  }
`);

const UPDATE = graphql(`
  mutation ConsoleUpdateNotificationPreferences($patch: JSONObject!, $expectedVersion: Int) {
    updateNotificationPreferences(patch: $patch, expectedVersion: $expectedVersion) {
      preferences { version webhookSecret }
    }
  }
`);

/** The user's notification settings: channels, categories and times. */
export function NotificationSettings() {
  const answer = useQuery(OPERATION, {});
  const [secret, setSecret] = useState<string | null>(null);
  const save = async (patch: Record<string, unknown>, expectedVersion: number) => {
    const { updateNotificationPreferences: updated } = await run(UPDATE, { patch, expectedVersion });
    setSecret(updated?.preferences.webhookSecret ?? null);
    showMessage({ text: "Notification settings saved." });
    answer.reload();
  };
  return (
    <>
      <p>You get a notification if both its channel and its topic are on.</p>
      <LoadedField answer={answer} skeleton="figure" field="viewer">
        {({ notificationPreferences: { settings: document, version } }) => {
          const settings = document as unknown as Settings;
          const renew = () =>
            save({ channels: { webhook: { url: settings.channels.webhook.url } } }, version);
          return (
            <Form
              submit="Save"
              check={checkPatch}
              onSubmit={(values) => save(readPatch(values, settings), version)}
              keepsValues
            >
              <Channels settings={settings} renew={renew} />
              <Categories settings={settings} />
              {channelsOf(settings).includes("email") && <Digest digest={settings.digest} />}
            </Form>
          );
        }}
      </LoadedField>
      {secret !== null && (
        <SecretDialog
          title="Webhook secret"
          intro="Requests to your webhook are signed with this secret. Copy it now. You won't be able to see it again. Any earlier secret no longer works."
          label="Secret"
          value={secret}
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}
