import { dayOf } from "../../../parts/days.js";
import { Details } from "../../../parts/details.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Day, Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Status } from "../../../parts/status.js";
import type { Column } from "../../../parts/table.js";
import { Created, Tags, Until } from "../credentials/cells.js";
import { EditAccount } from "./account-forms.js";
import type { Account } from "./read-accounts.js";
import { RevokeAccount, RotateToken } from "./replace-token.js";

/** Columns of the list of service accounts. */
export const COLUMNS: readonly Column<Account>[] = [
  { title: "Name", wraps: true, cell: (account) => <Name account={account} /> },
  { title: "Role", cell: ({ role }) => nameOf(role) },
  { title: "Status", cell: ({ status }) => <Status of={status} /> },
  { title: "Tokens", wraps: true, cell: (account) => <Tokens account={account} /> },
];

const Name = ({ account: { id, name, scopes, createdAt, createdBy } }: { account: Account }) => (
  <div class="key-name">
    <bdi>{name}</bdi>
    <details>
      <summary>Details</summary>
      <Details
        items={{
          Scopes: <Tags of={scopes} />,
          ID: <code>{id}</code>,
          Created: <Created at={createdAt} by={createdBy} />,
        }}
      />
    </details>
  </div>
);

const Tokens = ({ account: { tokens, status } }: { account: Account }) =>
  tokens.length === 0 ? (
    <span class="quiet">{status === "ACTIVE" ? "No valid token. Rotate to create one." : "–"}</span>
  ) : (
    <ul class="tokens">
      {tokens.map(({ id, display, createdAt, expiresAt, lastUsedAt }) => (
        <li key={id}>
          <code>{display}</code>
          <small class="quiet">
            Created <Day on={dayOf(createdAt)} />, <Until at={expiresAt} />
          </small>
          <small class="quiet">
            {lastUsedAt ? (
              <>
                Last used <Moment at={lastUsedAt} />
              </>
            ) : (
              "Never used"
            )}
          </small>
        </li>
      ))}
    </ul>
  );

/** Returns the actions for a service account. */
export const actionsFor = (account: Account) =>
  account.status === "ACTIVE" && (
    <>
      <DialogButton label="Edit" look="quiet" opens={<EditAccount account={account} />} />
      <DialogButton label="Rotate" look="quiet" opens={<RotateToken account={account} />} />
      <DialogButton label="Revoke" look="quiet" opens={<RevokeAccount account={account} />} />
    </>
  );
