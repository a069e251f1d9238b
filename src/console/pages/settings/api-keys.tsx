import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { ShowAll, useShowsAll } from "../../parts/paging.js";
import { LoadedField } from "../../parts/states.js";
import { List } from "../../parts/table.js";
import { CreateKey } from "./keys/create-key.js";
import { actionsFor, COLUMNS } from "./keys/key-columns.js";
import { READ_KEYS } from "./keys/read-keys.js";

/** The organization's API keys and their usage. */
export function ApiKeys() {
  const { after = null } = useAddress().query;
  const isAll = useShowsAll();
  const answer = useQuery(READ_KEYS, { statuses: isAll ? null : ["ACTIVE", "EXPIRING"], after });
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <ShowAll label="Show expired and revoked keys" />
        <DialogButton label="Create key" look="primary" parameter="create" opens={<CreateKey />} />
      </div>
      <LoadedField answer={answer} skeleton="table" field="apiKeys">
        {(apiKeys) => (
          <List caption="API keys" {...apiKeys} columns={COLUMNS} actions={actionsFor}>
            No active API keys. Create one to connect a program, such as your ERP.
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}
