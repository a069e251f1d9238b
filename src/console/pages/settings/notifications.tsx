import { useState } from "preact/hooks";
import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { Form } from "../../parts/forms/form.js";
import { OnceDialog } from "../../parts/forms/once.js";
import { Shown } from "../../parts/states.js";
import { Categories } from "./notifications/categories.js";
import { Channels } from "./notifications/channels.js";
import { Digest } from "./notifications/digest.js";
import { checkPatch, readPatch } from "./notifications/read-patch.js";
import type { Settings } from "./notifications/settings.js";

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
  const [isSaved, setSaved] = useState(false);
  const save = async (patch: Record<string, unknown>, expectedVersion: number) => {
    setSaved(false);
    const { updateNotificationPreferences: made } = await run(UPDATE, { patch, expectedVersion });
    setSecret(made?.preferences.webhookSecret ?? null);
    setSaved(true);
    answer.reload();
  };
  return (
    <>
      <p>You are told something in each way that both its channel and its category have on.</p>
      <Shown answer={answer} as="figure" of="viewer">
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
              <Digest digest={settings.digest} />
            </Form>
          );
        }}
      </Shown>
      <p role="status">{isSaved && "Your settings are saved."}</p>
      {secret !== null && (
        <OnceDialog
          title="The secret of your webhook"
          intro="Requests to your webhook are signed with it. Keep it now: this is the only time that it is shown. An earlier one does not count any more."
          label="Secret"
          value={secret}
          done="I have kept it"
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}
