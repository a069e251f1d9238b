import {
  addPasskey,
  type Passkey,
  removePasskey,
  renamePasskey,
  startEnrolment,
} from "../../../gateway/factors/own-factors.js";
import { createPasskey, isOnIpAddress, supportsPasskeys } from "../../../gateway/factors/passkeys.js";
import { Field } from "../../../parts/fields/field.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { textOf } from "../../../parts/forms/values.js";
import { Moment } from "../../../parts/moment.js";
import { programOf } from "../../../parts/program.js";
import { type Column, Table } from "../../../parts/table.js";
import { showCodes } from "./recovery-codes.js";

const COLUMNS: readonly Column<Passkey>[] = [
  { title: "Name", wraps: true, cell: ({ name }) => <bdi>{name}</bdi> },
  { title: "Added", cell: ({ created_at: at }) => <Moment at={at} /> },
  { title: "Last used", cell: ({ last_used_at: at }) => <Moment at={at} /> },
];

/** The user's passkeys. */
export const Passkeys = ({ passkeys }: { passkeys: readonly Passkey[] }) => (
  <section class="card">
    <h2>Passkeys</h2>
    <p>
      A passkey on your device or security key is a second factor. If it asks for a PIN or biometrics, you can
      sign in with it alone.
    </p>
    {passkeys.length > 0 && (
      <Table caption="Passkeys" rows={passkeys} columns={COLUMNS} actions={actionsFor} />
    )}
    {supportsPasskeys() ? <DialogButton label="Add passkey" opens={<AddPasskey />} /> : <Unavailable />}
  </section>
);

function Unavailable() {
  if (!isOnIpAddress()) return <p class="quiet">This browser doesn't support passkeys on this page.</p>;
  if (location.hostname !== "127.0.0.1")
    return (
      <p class="quiet">
        Passkeys don't work on an IP address. Ask your administrator for the host name of this page.
      </p>
    );
  const href = location.href.replace("//127.0.0.1", "//localhost");
  return (
    <p class="quiet">
      Passkeys don't work on an IP address. Open <a href={href}>{new URL(href).origin}</a> and sign in there.
    </p>
  );
}

function AddPasskey() {
  const add = async (values: FormData) => {
    const answer = await createPasskey(await startEnrolment());
    return showCodes(await addPasskey(textOf(values, "name"), answer));
  };
  return (
    <Confirm title="Add passkey" action="Add" onConfirm={add} successMessage="Passkey added.">
      <NameField value={programOf(navigator.userAgent)} />
    </Confirm>
  );
}

const NameField = ({ value }: { value: string }) => (
  <Field label="Name" name="name" value={value} hint="The device that stores it, e.g. Laptop" required />
);

const actionsFor = (passkey: Passkey) => (
  <>
    <DialogButton label="Rename" look="quiet" opens={<RenamePasskey {...passkey} />} />
    <DialogButton label="Remove" look="quiet" opens={<RemovePasskey {...passkey} />} />
  </>
);

const RenamePasskey = ({ id, name }: Passkey) => (
  <Confirm
    title="Rename passkey"
    action="Save"
    onConfirm={(values) => renamePasskey(id, textOf(values, "name"))}
  >
    <NameField value={name} />
  </Confirm>
);

const RemovePasskey = ({ id, name }: Passkey) => (
  <Confirm
    title="Remove passkey?"
    action="Remove"
    onConfirm={() => removePasskey(id)}
    successMessage={`Passkey ${name} removed.`}
  >
    <p>
      You will no longer be able to sign in with <bdi>{name}</bdi>. Delete it on the device too.
    </p>
  </Confirm>
);
