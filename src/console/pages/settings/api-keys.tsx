import { useState } from "preact/hooks";
import { useQuery } from "../../gateway/use-query.js";
import { useAddress } from "../../parts/address.js";
import { useDialog } from "../../parts/forms/use-dialog.js";
import { Paging } from "../../parts/paging.js";
import { ShowAll, useShowsAll } from "../../parts/show-all.js";
import { Shown } from "../../parts/states.js";
import { CreateKey } from "./keys/create-key.js";
import { EditKey } from "./keys/edit-key.js";
import { type KeyAction, KeyTable } from "./keys/key-table.js";
import { NewKey, type NewKeyProps } from "./keys/new-key.js";
import { READ_KEYS } from "./keys/read-keys.js";
import { RevokeKey } from "./keys/revoke-key.js";
import { RotateKey } from "./keys/rotate-key.js";

type Open = { readonly what: "create" } | KeyAction;

/** The organization's API keys with their use, and the ways to make, replace and end them. */
export function ApiKeys() {
  const { after = null } = useAddress().query;
  const isAll = useShowsAll();
  const answer = useQuery(READ_KEYS, { statuses: isAll ? null : ["ACTIVE", "EXPIRING"], after });
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
  const [made, setMade] = useState<NewKeyProps["made"] | null>(null);
  return (
    <>
      <div class="row">
        <ShowAll label="Show expired and revoked keys" />
        <button type="button" onClick={() => setOpen({ what: "create" })}>
          Create key
        </button>
      </div>
      <Shown answer={answer} as="table">
        {({ apiKeys }) =>
          apiKeys && (
            <>
              <KeyTable keys={apiKeys.nodes} onOpen={setOpen} />
              <Paging pageInfo={apiKeys.pageInfo} />
            </>
          )
        }
      </Shown>
      {open?.what === "create" && <CreateKey onClose={close} onMade={setMade} />}
      {open?.what === "edit" && <EditKey apiKey={open.key} onClose={close} />}
      {open?.what === "rotate" && <RotateKey apiKey={open.key} onClose={close} onMade={setMade} />}
      {open?.what === "revoke" && <RevokeKey apiKey={open.key} onClose={close} />}
      {made && <NewKey made={made} onClose={() => setMade(null)} />}
    </>
  );
}
