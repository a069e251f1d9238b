import { useQuery } from "../../gateway/use-query.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { nameOf } from "../../parts/names.js";
import { LoadedField } from "../../parts/states.js";
import { Status } from "../../parts/status.js";
import { type Column, Table } from "../../parts/table.js";
import { Tags } from "./credentials/cells.js";
import { AddEndpoint, actionsFor, type Endpoint, READ_ENDPOINTS } from "./webhooks/endpoints.js";

const COLUMNS: readonly Column<Endpoint>[] = [
  {
    title: "URL",
    wraps: true,
    cell: ({ url, types }) => (
      <>
        <bdi>{url}</bdi>
        <Tags of={types} />
      </>
    ),
  },
  {
    title: "Status",
    wraps: true,
    cell: ({ status, disabledReason: why }) => (
      <Status of={status}>{why && why !== "REQUEST" && nameOf(why)}</Status>
    ),
  },
];

/** The organization's webhook endpoints. */
export function Webhooks() {
  const answer = useQuery(READ_ENDPOINTS, {});
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <p>The gateway sends events, e.g. a new record, to these URLs.</p>
        <DialogButton label="Add webhook" look="primary" parameter="add" opens={<AddEndpoint />} />
      </div>
      <LoadedField answer={answer} skeleton="table" field="webhookEndpoints">
        {({ nodes }) => (
          <Table caption="Webhooks" rows={nodes} columns={COLUMNS} actions={actionsFor}>
            No webhooks yet. Add one to notify another system of changes.
          </Table>
        )}
      </LoadedField>
    </Dialogs>
  );
}
