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
import { Copyable } from "../../../parts/forms/once.js";
import { optionalOf, textOf, textsOf } from "../../../parts/forms/values.js";
import { nameOf } from "../../../parts/names.js";
import type { Connection } from "./read-member-sign-in.js";

const SAVE = graphql(`
  mutation ConsoleSaveSingleSignOn($input: SaveSingleSignOnInput!) {
    saveSingleSignOn(input: $input) { singleSignOn { redirectUri logoutUri } }
  }
`);

/** Roles that a provider or a directory can give, the highest first. */
export const PROVIDER_ROLES = ["ADMIN", "EDITOR", "VIEWER"] as const satisfies readonly Role[];

export type ProviderRole = (typeof PROVIDER_ROLES)[number];

export const MISSING_EMAIL_VERIFIED: Readonly<Record<MissingEmailVerified, string>> = {
  REFUSE: "Must be verified by the provider",
  ACCEPT: "Accepted if the provider does not say whether it is verified",
};

export const SECOND_FACTOR: Readonly<Record<SecondFactorOrigin, string>> = {
  PROVIDER: "The sign-in at the provider counts as one",
  GATEWAY: "The gateway asks for its own",
};

/** Enters or changes the settings of the identity provider. */
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
      title={connection ? "Edit the identity provider" : "Set up the identity provider"}
      action="Save"
      onConfirm={save}
      check={checkValues}
      said={() => connection && { text: "The identity provider is saved." }}
    >
      <Field
        label="Issuer"
        name="issuer"
        type="url"
        value={connection?.issuer ?? ""}
        hint="URL of the provider, exactly as it names itself, e.g. https://login.example.com"
        required
      />
      <Field
        label="Client ID"
        name="clientId"
        value={connection?.clientId ?? ""}
        autocomplete="off"
        hint="The name that the provider gave the application"
        required
      />
      <Field
        label="Client secret"
        name="clientSecret"
        type="password"
        autocomplete="off"
        hint={
          connection
            ? "Leave it empty to keep the present one, which cannot be shown."
            : "It won't be shown again. Leave it empty if the application has none."
        }
      />
      <Select
        label="Default role"
        name="defaultRole"
        options={PROVIDER_ROLES}
        value={(connection?.defaultRole ?? "VIEWER") as ProviderRole}
        hint="Set at each sign-in, unless a claim gives another. Owners stay owners."
      />
      <Field
        label="Role claim"
        name="roleClaim"
        value={connection?.roleClaim ?? ""}
        autocomplete="off"
        hint="Claim whose values give other roles, e.g. groups. The highest counts. Optional."
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
        hint="Entra ID never says whether an address is verified."
      />
      <Select
        label="Second factor"
        name="secondFactor"
        options={SECOND_FACTOR}
        value={connection?.secondFactor ?? "PROVIDER"}
      />
      {connection && connection.status !== "DRAFT" && (
        <p>
          Another issuer, client ID or secret must be tested and enabled again before anyone signs in by it.
        </p>
      )}
    </Confirm>
  );
}

/** Returns the values that give a role. */
const valuesOf = (connection: Connection | null, role: Role) =>
  Object.entries(connection?.roleMap ?? {}).flatMap(([value, given]) =>
    given === role.toLowerCase() ? [value] : [],
  );

const linesOf = (values: FormData, name: string) =>
  textOf(values, name)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

function checkValues(values: FormData) {
  const lines = PROVIDER_ROLES.flatMap((role) => linesOf(values, role).map((value) => ({ role, value })));
  return [
    ...lines.flatMap(({ role, value }, place) =>
      lines.findIndex((line) => line.value === value) < place
        ? [{ path: role, message: `${value} gives another role already.` }]
        : [],
    ),
    ...(lines.length > 0 && optionalOf(values, "roleClaim") === null
      ? [{ path: "roleClaim", message: "Enter the claim that has these values." }]
      : []),
  ];
}

type AddressesProps = { readonly connection: Pick<Connection, "redirectUri" | "logoutUri"> };

/** The addresses to enter at the provider. */
export const Addresses = ({ connection: { redirectUri, logoutUri } }: AddressesProps) => (
  <>
    <Copyable label="Redirect URI" value={redirectUri} />
    <Copyable label="Back-channel logout URI" value={logoutUri} />
  </>
);

/** The addresses, once the settings are saved for the first time. */
function NewProvider({ connection }: AddressesProps) {
  const { close } = useDialog();
  return (
    <Dialog title="Enter these at your provider" onClose={() => close()}>
      <p>
        The provider sends people back to the redirect URI, and needs it before the test. The logout URI is
        optional: with it, signing out there ends the sessions here.
      </p>
      <Addresses connection={connection} />
      <div class="buttons">
        <Button label="Done" look="primary" onClick={() => close()} />
      </div>
    </Dialog>
  );
}
