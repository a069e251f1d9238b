import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact } from "../../../parts/numbers.js";
import { Empty } from "../../../parts/states.js";
import { Table } from "../../../parts/table.js";
import type { ApiKey } from "./read-keys.js";

/** What is to be done with a key. */
export interface KeyAction {
  readonly what: "edit" | "rotate" | "revoke";
  readonly key: ApiKey;
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly onOpen: (action: KeyAction) => void;
}

/** Keys with their use, and what can be done with each. */
export function KeyTable({ keys, onOpen }: KeyTableProps) {
  if (keys.length === 0)
    return <Empty>There are no API keys yet. Create one to call the gateway from a program.</Empty>;
  return (
    <Table
      caption="API keys"
      rows={keys}
      columns={[
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
        { title: "Change", isActions: true, cell: (key) => <Actions apiKey={key} onOpen={onOpen} /> },
      ]}
    />
  );
}

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

function Actions({ apiKey, onOpen }: { apiKey: ApiKey } & Pick<KeyTableProps, "onOpen">) {
  const { status } = apiKey;
  const offers = status === "REVOKED" ? [] : status === "EXPIRED" ? EDIT : ALL;
  return offers.map(([what, name]) => (
    <button key={what} type="button" class="quiet" onClick={() => onOpen({ what, key: apiKey })}>
      {name}
    </button>
  ));
}

/** An expired key works again once it has another expiry. */
const EDIT = [["edit", "Edit"]] as const;
const ALL = [...EDIT, ["rotate", "Rotate"], ["revoke", "Revoke"]] as const;
