import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact } from "../../../parts/numbers.js";
import type { Column } from "../../../parts/table.js";
import { EditKey } from "./edit-key.js";
import type { ApiKey } from "./read-keys.js";
import { RevokeKey } from "./revoke-key.js";
import { RotateKey } from "./rotate-key.js";

/** Columns of the list of keys. */
export const COLUMNS: readonly Column<ApiKey>[] = [
  { title: "Name", wraps: true, cell: (key) => <Name apiKey={key} /> },
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  { title: "Scopes", wraps: true, cell: ({ scopes }) => <Scopes scopes={scopes} /> },
  { title: "Use", cell: (key) => <Use apiKey={key} /> },
  {
    title: "Expires",
    wraps: true,
    cell: ({ expiresAt }) => (expiresAt ? <Moment at={expiresAt} /> : "Never"),
  },
  {
    title: "Last used",
    wraps: true,
    cell: ({ lastUsedAt }) => (lastUsedAt ? <Moment at={lastUsedAt} /> : "Never"),
  },
];

function Name({ apiKey: { name, display, createdAt, createdBy } }: { apiKey: ApiKey }) {
  return (
    <div class="key-name">
      <bdi>{name}</bdi>
      <br />
      <code>{display}</code>
      <br />
      <small class="quiet">
        <Moment at={createdAt} />
        {createdBy && (
          <>
            {" "}
            by <bdi>{createdBy.name}</bdi>
          </>
        )}
      </small>
    </div>
  );
}

const Status = ({ status }: Pick<ApiKey, "status">) => (
  <span class={`key-status ${status.toLowerCase()}`}>{nameOf(status)}</span>
);

const Scopes = ({ scopes }: Pick<ApiKey, "scopes">) => (
  <ul class="tags">
    {scopes.map((scope) => (
      <li key={scope}>{scope}</li>
    ))}
  </ul>
);

function Use({ apiKey: { budget, tier, usage } }: { apiKey: ApiKey }) {
  const sum = (name: "requests" | "refused" | "errors") =>
    usage.reduce((total, hour) => total + hour[name], 0);
  return (
    <div class="use">
      <span>
        <Exact value={budget.used} /> of <Exact value={budget.limit} /> this hour
      </span>
      <progress value={budget.used} max={budget.limit} aria-label="Share of the hourly limit" />
      <small class="quiet">
        {nameOf(tier)} · 7 days: <Exact value={sum("requests")} />
      </small>
      <small class="quiet">
        <Exact value={sum("refused")} /> refused, <Exact value={sum("errors")} /> failed
      </small>
    </div>
  );
}

/** Returns the actions for a key. An expired key works again with a new expiry. */
export const offer = (apiKey: ApiKey) =>
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
