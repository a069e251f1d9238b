import {
  graphql,
  type MissingEmailVerified,
  type Role,
  type SecondFactorOrigin,
} from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Button } from "../../../parts/button.js";
import { Field, TextArea } from "../../../parts/fields/field.js";
import { Select } from "../../../parts/fields/select.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { Dialog } from "../../../parts/forms/dialog.js";
import { useDialog } from "../../../parts/forms/dialogs.js";
import { Copyable } from "../../../parts/forms/secret-dialog.js";
import { optionalOf, textOf, textsOf } from "../../../parts/forms/values.js";
import { nameOf } from "../../../parts/names.js";
import type { Connection } from "./read-member-sign-in.js";

const SAVE = graphql(`
  mutation ConsoleSaveSingleSignOn($input: SaveSingleSignOnInput!) {
    saveSingleSignOn(input: $input) { singleSignOn { redirectUri logoutUri } }
  }
`);

/** Roles that a provider or directory can assign, highest first. */
export const PROVIDER_ROLES = ["ADMIN", "EDITOR", "VIEWER"] as const satisfies readonly Role[];

export type ProviderRole = (typeof PROVIDER_ROLES)[number];

export const MISSING_EMAIL_VERIFIED: Readonly<Record<MissingEmailVerified, string>> = {
  REFUSE: "Provider must verify it",
  ACCEPT: "Accept it if the provider doesn't say whether it is verified",
};

export const SECOND_FACTOR: Readonly<Record<SecondFactorOrigin, string>> = {
  PROVIDER: "Accept the provider's sign-in as a second factor",
  GATEWAY: "Ask for the gateway's own second factor",
};

/** Form for the settings of the identity provider. */
export function EditProvider({ connection }: { connection: Connection | null }) {
  const save = async (values: FormData) => {
    const { saveSingleSignOn } = await run(SAVE, {
      input: {
        ...textsOf(values, "issuer", "clientId"),
        clientSecret: textOf(values, "clientSecret") || null,
        defaultRole: textOf(values, "defaultRole") as Role,
        roleClaim: optionalOf(values, "roleClaim"),
        roleMap: Object.fromEntries(
          PROVIDER_ROLES.flatMap((role) => linesOf(values, role).map((value) => [value, role.toLowerCase()])),
        ),
        missingEmailVerified: textOf(values, "missingEmailVerified") as MissingEmailVerified,
        secondFactor: textOf(values, "secondFactor") as SecondFactorOrigin,
        expectedVersion: connection?.version ?? null,
      },
    });
    return (
      connection === null && saveSingleSignOn && <NewProvider connection={saveSingleSignOn.singleSignOn} />
    );
  };
  return (
    <Confirm
      title={connection ? "Edit identity provider" : "Set up identity provider"}
      action="Save"
      onConfirm={save}
      check={checkValues}
      successMessage={() => connection && { text: "Identity provider saved." }}
    >
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        value={connection?.issuer ?? ""}
        hint="The provider's issuer URL, exactly as published, e.g. https://login.example.com"
        required
      />
      <Field
        label="Client ID"
        name="clientId"
        value={connection?.clientId ?? ""}
        autocomplete="off"
        hint="ID of the application at the provider"
        required
      />
      <Field
        label="Client secret"
        name="clientSecret"
        type="password"
        autocomplete="off"
        hint={
          connection
            ? "Leave empty to keep the current secret"
            : "Leave empty if the application has none. You won't be able to see it again"
        }
      />
      <Select
        label="Default role"
        name="defaultRole"
        options={PROVIDER_ROLES}
        value={(connection?.defaultRole ?? "VIEWER") as ProviderRole}
        hint="Set at each sign-in, unless a claim assigns another. Owners stay owners"
      />
      <Field
        label="Role claim"
        name="roleClaim"
        value={connection?.roleClaim ?? ""}
        autocomplete="off"
        hint="Optional. Claim whose values assign roles, e.g. groups. The highest role applies"
      />
      {PROVIDER_ROLES.map((role) => (
        <TextArea
          key={role}
          label={`Values for ${nameOf(role)}`}
          name={role}
          value={valuesOf(connection, role).join("\n")}
          hint="One per line"
        />
      ))}
      <Select
        label="E-mail address"
        name="missingEmailVerified"
        options={MISSING_EMAIL_VERIFIED}
        value={connection?.missingEmailVerified ?? "REFUSE"}
        hint="Entra ID never says whether an address is verified"
      />
      <Select
        label="Second factor"
        name="secondFactor"
        options={SECOND_FACTOR}
        value={connection?.secondFactor ?? "PROVIDER"}
      />
      {connection && connection.status !== "DRAFT" && (
        <p>
          If you change the issuer, client ID or secret, test and enable single sign-on again. Until then,
          nobody can sign in with it.
        </p>
      )}
    </Confirm>
  );
}

/** Returns the claim values that assign a role. */
const valuesOf = (connection: Connection | null, role: Role) =>
  Object.entries(connection?.roleMap ?? {}).flatMap(([value, given]) =>
    given === role.toLowerCase() ? [value] : [],
  );

const linesOf = (values: FormData, name: string) => {
  const lines = textOf(values, name).split("\n");
  return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))];
};

function checkValues(values: FormData) {
  const lines = PROVIDER_ROLES.flatMap((role) => linesOf(values, role).map((value) => ({ role, value })));
  return [
    ...lines.flatMap(({ role, value }, place) =>
      lines.findIndex((line) => line.value === value) < place
        ? [{ path: role, message: `${value} already assigns another role.` }]
        : [],
    ),
    ...(lines.length > 0 && optionalOf(values, "roleClaim") === null
      ? [{ path: "roleClaim", message: "Enter the claim with these values." }]
      : []),
  ];
}

type AddressesProps = { readonly connection: Pick<Connection, "redirectUri" | "logoutUri"> };

/** The URIs to enter at the provider. */
export const Addresses = ({ connection: { redirectUri, logoutUri } }: AddressesProps) => (
  <>
    <Copyable label="Redirect URI" value={redirectUri} />
    <Copyable label="Back-channel logout URI" value={logoutUri} />
  </>
);

/** Dialog with the URIs, shown when the settings are first saved. */
function NewProvider({ connection }: AddressesProps) {
  const { close } = useDialog();
  return (
    <Dialog title="Enter these at your provider" onClose={() => close()}>
      <p>
        The provider sends users back to the redirect URI, so enter it before the test. The logout URI is
        optional: with it, signing out at the provider also signs out here.
      </p>
      <Addresses connection={connection} />
      <div class="buttons">
        <Button label="Done" look="primary" onClick={() => close()} />
      </div>
    </Dialog>
  );
}
