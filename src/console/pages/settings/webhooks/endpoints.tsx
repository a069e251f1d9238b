import { eventTypesFor } from "../../../../domain/events/event-types.js";
import type { Scope } from "../../../../domain/scopes.js";
import { type ConsoleWebhookEndpointsQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useViewer } from "../../../gateway/viewer.js";
import { Checkbox, Checkboxes } from "../../../parts/fields/checkboxes.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { SecretDialog } from "../../../parts/forms/secret-dialog.js";
import { changesOf, textOf } from "../../../parts/forms/values.js";
import { OverlapField, overlapIn } from "../credentials/fields.js";
import { Deliveries } from "./deliveries.js";

/** All endpoints. An organization has at most 10. */
export const READ_ENDPOINTS = graphql(`
  query ConsoleWebhookEndpoints {
    webhookEndpoints { nodes { id url types status disabledReason version } }
  }
`);
const ADD = graphql(`
  mutation ConsoleAddWebhook($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }
`);
const UPDATE = graphql(`
  mutation ConsoleEditWebhook($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { webhookEndpoint { id } } }
`);
const ROTATE = graphql(`
  mutation ConsoleRotateSecret($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) { secret } }
`);
const TEST = graphql(`
  mutation ConsoleTestWebhook($input: TestWebhookEndpointInput!) {
    testWebhookEndpoint(input: $input) { isDelivered status error }
  }
`);
const DELETE = graphql(`
  mutation ConsoleDeleteWebhook($input: DeleteWebhookEndpointInput!) { deleteWebhookEndpoint(input: $input) { webhookEndpoint { id } } }
`);

/** A webhook endpoint in the list. */
export type Endpoint = NonNullable<ConsoleWebhookEndpointsQuery["webhookEndpoints"]>["nodes"][number];

interface EndpointProps {
  readonly endpoint: Endpoint;
}

type Settings = Pick<Endpoint, "url" | "types">;

/** The fields of an endpoint. Offers its own events, and those that the user may read by subject: `facility.*`. */
function EndpointFields({ url, types }: Settings) {
  const known = eventTypesFor(useViewer().scopes as readonly Scope[]);
  const options = [...new Set([...known.map(({ name }) => name.replace(/\..*/, ".*")), ...types])];
  return (
    <>
      <Field label="URL" name="url" type="url" value={url} hint="A public https URL" required />
      <Checkboxes label="Events" name="types" options={options} labelOf={String} chosen={types} />
    </>
  );
}

const readSettings = (values: FormData): Settings => ({
  url: textOf(values, "url").trim(),
  types: values.getAll("types").map(String),
});

const showSecret = (secret: string | undefined) =>
  secret && (
    <SecretDialog
      title="Webhook secret"
      intro="Use it to verify the signatures of requests. Copy it now. You won't be able to see it again."
      label="Secret"
      value={secret}
    />
  );

/** Form that adds an endpoint and shows its secret once. */
export function AddEndpoint() {
  const add = async (values: FormData) =>
    showSecret((await run(ADD, { input: readSettings(values) })).createWebhookEndpoint?.secret);
  return (
    <Confirm title="Add webhook" action="Add" onConfirm={add}>
      <EndpointFields url="" types={[]} />
    </Confirm>
  );
}

function EditEndpoint({ endpoint: { id, url, types, version, status } }: EndpointProps) {
  const save = async (values: FormData) => {
    // Omits an unchanged URL, because sending one requires recent authentication.
    const changes = changesOf({ url, types }, readSettings(values));
    const isEnabled = values.has("isEnabled");
    await run(UPDATE, { input: { id, ...changes, isEnabled, expectedVersion: version } });
  };
  return (
    <Confirm title="Edit webhook" action="Save" onConfirm={save}>
      <Checkbox label="Send events" name="isEnabled" defaultChecked={status !== "DISABLED"} />
      <EndpointFields url={url} types={types} />
    </Confirm>
  );
}

function RotateSecret({ endpoint: { id, version } }: EndpointProps) {
  const rotate = async (values: FormData) => {
    const input = { id, overlapHours: overlapIn(values), expectedVersion: version };
    return showSecret((await run(ROTATE, { input })).rotateWebhookSecret?.secret);
  };
  return (
    <Confirm title="Create new secret" action="Create" onConfirm={rotate}>
      <OverlapField of="secret" />
    </Confirm>
  );
}

function TestEndpoint({ endpoint: { id, url } }: EndpointProps) {
  const test = async () => (await run(TEST, { input: { id } })).testWebhookEndpoint;
  const describe = (result: Awaited<ReturnType<typeof test>>) =>
    result && {
      text: result.isDelivered ? `Delivered: ${result.status}.` : `Not delivered: ${result.error}`,
    };
  return (
    <Confirm title="Send test event" action="Send" onConfirm={test} successMessage={describe}>
      <p>This sends the event webhook.test to {url}.</p>
    </Confirm>
  );
}

const DeleteEndpoint = ({ endpoint: { id, url, version } }: EndpointProps) => (
  <Confirm
    title="Delete webhook?"
    action="Delete"
    onConfirm={() => run(DELETE, { input: { id, expectedVersion: version } })}
  >
    <p>The gateway will stop sending events to {url}. You can't undo this.</p>
  </Confirm>
);

/** Returns the actions for an endpoint. */
export const actionsFor = (endpoint: Endpoint) => (
  <>
    <DialogButton label="Edit" look="quiet" opens={<EditEndpoint endpoint={endpoint} />} />
    <DialogButton label="Test" look="quiet" opens={<TestEndpoint endpoint={endpoint} />} />
    <DialogButton label="Deliveries" look="quiet" opens={<Deliveries endpoint={endpoint} />} />
    <DialogButton label="New secret" look="quiet" opens={<RotateSecret endpoint={endpoint} />} />
    <DialogButton label="Delete" look="quiet" opens={<DeleteEndpoint endpoint={endpoint} />} />
  </>
);
