import { type ConsoleWebhookDeliveriesQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { Button } from "../../../parts/button.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { Moment } from "../../../parts/moment.js";
import { LoadedField, useAttempt } from "../../../parts/states.js";
import { Status } from "../../../parts/status.js";
import { type Column, Table } from "../../../parts/table.js";

const READ = graphql(`
  query ConsoleWebhookDeliveries($id: UUID!) {
    webhookEndpoint(id: $id) {
      deliveries(first: 50) { nodes { id type status lastStatus lastError lastAttemptAt } }
    }
  }
`);
const RESEND = graphql(`
  mutation ConsoleResend($input: ResendWebhookDeliveryInput!) { resendWebhookDelivery(input: $input) { delivery { id } } }
`);

type Delivery = NonNullable<ConsoleWebhookDeliveriesQuery["webhookEndpoint"]>["deliveries"]["nodes"][number];

/** The latest deliveries to an endpoint. */
export function Deliveries({ endpoint }: { endpoint: { readonly id: string; readonly url: string } }) {
  const { close } = useDialog();
  const answer = useQuery(READ, { id: endpoint.id });
  const { attempt, complaint } = useAttempt();
  const resend = (id: string) =>
    attempt(() => run(RESEND, { input: { endpointId: endpoint.id, id } }).then(answer.reload));
  return (
    <Dialog title={`Latest deliveries to ${new URL(endpoint.url).host}`} onClose={() => close()} isWide>
      {complaint}
      <LoadedField answer={answer} skeleton="table" field="webhookEndpoint">
        {({ deliveries }) => (
          <Table
            caption="Deliveries"
            rows={deliveries.nodes}
            columns={COLUMNS}
            actions={({ id, status }) =>
              status !== "PENDING" && <Button label="Resend" look="quiet" onClick={() => resend(id)} />
            }
          >
            No deliveries in the last 30 days.
          </Table>
        )}
      </LoadedField>
      <div class="buttons">
        <Button label="Close" look="secondary outline" onClick={() => close()} />
      </div>
    </Dialog>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  { title: "Event", cell: ({ type }) => type },
  { title: "Status", cell: ({ status }) => <Status of={status} /> },
  { title: "Response", wraps: true, cell: ({ lastStatus, lastError }) => lastError ?? lastStatus ?? "–" },
  { title: "Last attempt", cell: ({ lastAttemptAt }) => <Moment at={lastAttemptAt} /> },
];
