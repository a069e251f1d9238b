import { Details } from "../../../parts/details.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact } from "../../../parts/numbers.js";
import { Status } from "../../../parts/status.js";
import type { Column } from "../../../parts/table.js";
import { Created, Tags, Until } from "../credentials/cells.js";
import { EditKey } from "./edit-key.js";
import type { ApiKey } from "./read-keys.js";
import { RevokeKey, RotateKey } from "./replace-key.js";
import { limitOf } from "./tiers.js";

/** Columns of the list of keys. */
export const COLUMNS: readonly Column<ApiKey>[] = [
  { title: "Name", wraps: true, cell: (key) => <Name apiKey={key} /> },
  {
    title: "Status",
    wraps: true,
    cell: ({ status, expiresAt }) => (
      <Status of={status}>{(expiresAt || status !== "REVOKED") && <Until at={expiresAt} />}</Status>
    ),
  },
  { title: "Usage", cell: (key) => <Use apiKey={key} /> },
];

function Name({ apiKey }: { apiKey: ApiKey }) {
  const { name, display, scopes, tier, createdAt, createdBy, lastUsedAt, usage } = apiKey;
  const sum = (name: "requests" | "refused" | "errors") =>
    usage.reduce((total, hour) => total + hour[name], 0);
  return (
    <div class="key-name">
      <bdi>{name}</bdi>
      <br />
      <code>{display}</code>
      <details>
        <summary>Details</summary>
        <Details
          items={{
            Scopes: <Tags of={scopes} />,
            Tier: `${nameOf(tier)}: ${limitOf(tier)}`,
            Created: <Created at={createdAt} by={createdBy} />,
            "Last used": lastUsedAt ? <Moment at={lastUsedAt} /> : "Never",
            "Last 7 days": (
              <>
                <Exact value={sum("requests")} /> requests, <Exact value={sum("refused")} /> refused,{" "}
                <Exact value={sum("errors")} /> failed
              </>
            ),
          }}
        />
      </details>
    </div>
  );
}

const Use = ({ apiKey: { budget } }: { apiKey: ApiKey }) => (
  <div class="use">
    <span>
      <Exact value={budget.used} /> of <Exact value={budget.limit} /> this hour
    </span>
    <progress value={budget.used} max={budget.limit} aria-label="Share of the hourly limit" />
  </div>
);

/** Returns the actions for a key. A new expiry makes an expired key work again. */
export const actionsFor = (apiKey: ApiKey) =>
  apiKey.status !== "REVOKED" && (
    <>
      <DialogButton label="Edit" look="quiet" opens={<EditKey apiKey={apiKey} />} />
      {apiKey.status !== "EXPIRED" && (
        <>
          <DialogButton label="Rotate" look="quiet" opens={<RotateKey apiKey={apiKey} />} />
          <DialogButton label="Revoke" look="quiet" opens={<RevokeKey apiKey={apiKey} />} />
        </>
      )}
    </>
  );
