import { useState } from "preact/hooks";
import { useQuery } from "../../gateway/use-query.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Exact } from "../../parts/numbers.js";
import { Paging } from "../../parts/paging.js";
import { Empty, Shown } from "../../parts/states.js";
import { Table } from "../../parts/table.js";
import { CreateKey } from "./keys/create-key.js";
import { NewKey, type NewKeyProps } from "./keys/new-key.js";
import { type ApiKey, READ_KEYS } from "./keys/read-keys.js";
import { RevokeKey } from "./keys/revoke-key.js";
import { RotateKey } from "./keys/rotate-key.js";

type Open = { readonly what: "create" } | { readonly what: "rotate" | "revoke"; readonly key: ApiKey } | null;

/** The organization's API keys with their use, and the ways to make, replace and end them. */
export function ApiKeys() {
  const [isAll, setAll] = useState(false);
  const [after, setAfter] = useState<string | null>(null);
  const answer = useQuery(READ_KEYS, { statuses: isAll ? null : ["ACTIVE", "EXPIRING"], after });
  const [open, setOpen] = useState<Open>(null);
  const [made, setMade] = useState<NewKeyProps["made"] | null>(null);
  const showAll = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    setAll(currentTarget.checked);
    setAfter(null);
  };
  const close = () => {
    setOpen(null);
    answer.reload();
  };
  return (
    <>
      <div class="row">
        <label>
          <input type="checkbox" checked={isAll} onChange={showAll} />
          Show expired and revoked keys
        </label>
        <button type="button" onClick={() => setOpen({ what: "create" })}>
          Create key
        </button>
      </div>
      <Shown answer={answer} as="table">
        {({ apiKeys }) =>
          apiKeys && (
            <>
              <KeyTable keys={apiKeys.nodes} onOpen={setOpen} />
              <Paging
                pageInfo={apiKeys.pageInfo}
                isLater={after !== null}
                onFirst={() => setAfter(null)}
                onNext={setAfter}
              />
            </>
          )
        }
      </Shown>
      {open?.what === "create" && <CreateKey onClose={close} onMade={setMade} />}
      {open?.what === "rotate" && <RotateKey apiKey={open.key} onClose={close} onMade={setMade} />}
      {open?.what === "revoke" && <RevokeKey apiKey={open.key} onClose={close} />}
      {made && <NewKey made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function KeyTable({ keys, onOpen }: { keys: readonly ApiKey[]; onOpen: (open: Open) => void }) {
  if (keys.length === 0)
    return <Empty>There are no API keys yet. Create one to call the gateway from a program.</Empty>;
  return (
    <Table
      caption="API keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Name",
          cell: ({ name, display }) => (
            <>
              {name}
              <br />
              <code>{display}</code>
            </>
          ),
        },
        {
          title: "Change",
          cell: (key) =>
            (key.status === "ACTIVE" || key.status === "EXPIRING") && (
              <div class="actions">
                <button type="button" class="outline" onClick={() => onOpen({ what: "rotate", key })}>
                  Rotate
                </button>
                <button type="button" class="outline" onClick={() => onOpen({ what: "revoke", key })}>
                  Revoke
                </button>
              </div>
            ),
        },
        { title: "Status", cell: ({ status }) => nameOf(status) },
        { title: "Scopes", wraps: true, cell: ({ scopes }) => scopes.join(", ") },
        { title: "Tier", cell: ({ tier }) => nameOf(tier) },
        { title: "Use", cell: (key) => <Use apiKey={key} /> },
        { title: "Expires", cell: ({ expiresAt }) => (expiresAt ? <Moment at={expiresAt} /> : "Never") },
        { title: "Last used", cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
        {
          title: "Made",
          cell: ({ createdAt, createdBy }) => (
            <>
              <Moment at={createdAt} />
              {createdBy && ` by ${createdBy.name}`}
            </>
          ),
        },
      ]}
    />
  );
}

function Use({ apiKey: { budget, usage } }: { apiKey: ApiKey }) {
  const sum = (name: "requests" | "refused" | "errors") =>
    usage.reduce((total, hour) => total + hour[name], 0);
  return (
    <div class="use">
      <span>
        <Exact value={budget.used} /> of <Exact value={budget.limit} /> this hour
      </span>
      <progress value={budget.used} max={budget.limit} aria-label="Share of the hourly limit" />
      <span class="quiet">
        7 days: <Exact value={sum("requests")} />, refused <Exact value={sum("refused")} />, failed{" "}
        <Exact value={sum("errors")} />
      </span>
    </div>
  );
}
