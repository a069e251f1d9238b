import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { ShowAll, useShowsAll } from "../../parts/paging.js";
import { LoadedField } from "../../parts/states.js";
import { List } from "../../parts/table.js";
import { actionsFor, COLUMNS } from "./accounts/account-columns.js";
import { CreateAccount } from "./accounts/account-forms.js";
import { READ_ACCOUNTS } from "./accounts/read-accounts.js";

/** The organization's service accounts and their tokens. */
export function ServiceAccounts() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_ACCOUNTS, { statuses: useShowsAll() ? null : ["ACTIVE"], after });
  return (
    <Dialogs onClosed={answer.reload}>
      <p>
        Programs that write data use the token of a service account. Programs that only read can use an API
        key.
      </p>
      <div class="row">
        <ShowAll label="Show revoked accounts" />
        <DialogButton
          label="Create service account"
          look="primary"
          parameter="create"
          opens={<CreateAccount />}
        />
      </div>
      <LoadedField answer={answer} skeleton="table" field="serviceAccounts">
        {(accounts) => (
          <List caption="Service accounts" {...accounts} columns={COLUMNS} actions={actionsFor}>
            No active service accounts. Create one for a program that writes data.
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}
