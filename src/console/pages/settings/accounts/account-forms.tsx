import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { SERVICE_SCOPES } from "../../../../domain/people/roles.js";
import { graphql, type ServiceAccountRole } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Edit } from "../../../parts/forms/edit.js";
import { changesOf, textOf } from "../../../parts/forms/values.js";
import { showMessage } from "../../../parts/messages.js";
import { nameOf } from "../../../parts/names.js";
import {
  checkShared,
  ExpiryField,
  expiryOf,
  NameField,
  proposedLastDay,
  readShared,
  ScopeBoxes,
} from "../credentials/fields.js";
import { NewToken } from "./new-token.js";

const CREATE = graphql(`
  mutation ConsoleCreateServiceAccount($input: CreateServiceAccountInput!) {
    createServiceAccount(input: $input) {
      token
      serviceAccount { name scopes }
    }
  }
`);

const READ = graphql(`
  query ConsoleServiceAccount($id: UUID!) {
    serviceAccount(id: $id) { id name role scopes version }
  }
`);

const UPDATE = graphql(`
  mutation ConsoleUpdateServiceAccount($input: UpdateServiceAccountInput!) {
    updateServiceAccount(input: $input) { serviceAccount { id version } }
  }
`);

const ROLES: readonly ServiceAccountRole[] = ["VIEWER", "EDITOR", "ADMIN"];

interface Settings {
  readonly name: string;
  readonly role: ServiceAccountRole;
  readonly scopes: readonly string[];
}

interface EditableAccount extends Settings {
  readonly id: string;
  readonly version: number;
}

const scopesOf = (role: ServiceAccountRole) => SERVICE_SCOPES[role.toLowerCase() as Lowercase<typeof role>];

/** Suggestion for a new account: all scopes except those that manage or administer. */
const PROPOSED: Settings = {
  name: "",
  role: "EDITOR",
  scopes: scopesOf("ADMIN").filter((scope) => !/^(?:manage|admin):/.test(scope)),
};

interface AccountFieldsProps {
  readonly settings: Settings;
  readonly children?: ComponentChildren;
}

/** The fields of a service account. The role limits the scopes to choose from. */
function AccountFields({ settings: { name, role, scopes }, children }: AccountFieldsProps) {
  const [limit, setLimit] = useState(role);
  return (
    <>
      <NameField value={name} />
      <Select
        label="Role"
        name="role"
        options={ROLES}
        value={limit}
        hint="Limits the scopes that you can choose below"
        onChange={setLimit}
      />
      {children}
      <ScopeBoxes label="Permissions" options={scopesOf(limit)} chosen={scopes} />
    </>
  );
}

const readSettings = (values: FormData): Settings => {
  const { name, scopes } = readShared(values);
  return { name, role: textOf(values, "role") as ServiceAccountRole, scopes };
};

/** The form for a new service account. Suggests an expiry in 90 days and shows the token once. */
export function CreateAccount() {
  const send = async (values: FormData) => {
    const expiresAt = expiryOf(readShared(values).lastDay);
    const { createServiceAccount } = await run(CREATE, { input: { ...readSettings(values), expiresAt } });
    return createServiceAccount && <NewToken created={createServiceAccount} />;
  };
  return (
    <Confirm title="Create service account" action="Create" onConfirm={send} check={checkShared}>
      <AccountFields settings={PROPOSED}>
        <ExpiryField lastDay={proposedLastDay()} of="token" />
      </AccountFields>
    </Confirm>
  );
}

export function EditAccount({ account }: { account: EditableAccount }) {
  const { id } = account;
  const save = async (values: FormData, before: EditableAccount) => {
    const changes = changesOf(settingsOf(before), readSettings(values));
    if (Object.keys(changes).length === 0) return;
    await run(UPDATE, { input: { id, ...changes, expectedVersion: before.version } });
    showMessage({ text: `Service account "${changes.name ?? before.name}" saved.` });
  };
  return (
    <Edit<EditableAccount>
      title={`Edit ${account.name}`}
      row={account}
      read={async () => (await run(READ, { id })).serviceAccount}
      save={save}
      check={checkShared}
      describe={({ name, role, scopes }) => ({ Name: name, Role: nameOf(role), Scopes: scopes.join(", ") })}
    >
      {(account) => <AccountFields settings={settingsOf(account)} />}
    </Edit>
  );
}

/** Returns the settings, with scopes in the order of the checkboxes. */
const settingsOf = ({ name, role, scopes }: EditableAccount): Settings => ({
  name,
  role,
  scopes: scopesOf(role).filter((scope) => scopes.includes(scope)),
});
