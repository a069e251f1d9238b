import { type Command, Option } from "commander";
import {
  changeServiceAccount,
  revokeServiceAccount,
} from "../../actions/service-accounts/change-service-account.js";
import {
  createServiceAccount,
  type IssuedToken,
} from "../../actions/service-accounts/create-service-account.js";
import {
  type AccountSummary,
  listServiceAccounts,
  summarizeAccount,
} from "../../actions/service-accounts/list-service-accounts.js";
import { rotateServiceAccount } from "../../actions/service-accounts/rotate-service-account.js";
import type { ServiceRole } from "../../data/service-accounts/tokens.js";
import { MAX_KEY_NAME } from "../../domain/keys/key-limits.js";
import { ROLES, SERVICE_SCOPES } from "../../domain/people/roles.js";
import {
  example,
  expiryOf,
  expiryOption,
  jsonOption,
  nameOption,
  type Output,
  organizationOption,
  overlapOption,
  quietOption,
} from "../options.js";
import { describeOverlap, describeSecret } from "../output/secret.js";
import { formatTable } from "../output/table.js";
import { printable } from "../output/terminal.js";
import type { Runner } from "../runner.js";

/** Account id for examples. */
const EXAMPLE_ID = "0f6b1a9c-5d0e-4a57-9a3e-8c1f2b6d7e90";

interface Settings {
  readonly name: string;
  readonly role: ServiceRole;
  readonly scope?: readonly string[];
}

const accountName = () => nameOption("name that says what the account is for", MAX_KEY_NAME);
const roleOption = () =>
  new Option("--role <role>", "role, which limits the scopes").choices(
    ROLES.filter((role) => role !== "owner"),
  );
const scopeOption = (omitted: string) =>
  new Option("--scope <scope...>", `scopes, limited by the role; repeatable; if omitted, ${omitted}`).choices(
    SERVICE_SCOPES.admin,
  );

/** Adds `service-accounts create | list | update | rotate | revoke`. */
export function addServiceAccountCommands(program: Command, runner: Runner): void {
  const accounts = program
    .command("service-accounts")
    .description("manage service accounts, with which software calls the API");
  addCreateCommand(accounts, runner);
  addListCommand(accounts, runner);
  addUpdateCommand(accounts, runner);
  addRotateCommand(accounts, runner);
  addRevokeCommand(accounts, runner);
}

function addCreateCommand(accounts: Command, { withPeppers, report }: Runner): void {
  accounts
    .command("create")
    .description("create a service account and print its first token once")
    .addOption(organizationOption())
    .addOption(accountName().makeOptionMandatory())
    .addOption(roleOption().makeOptionMandatory())
    .addOption(scopeOption("all of the role's scopes except manage:* and admin:*"))
    .addOption(expiryOption("expiry of the token"))
    .addOption(quietOption("token"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      example('service-accounts create --organization acme --name "Nightly import" --role editor'),
    )
    .action(
      async ({
        scope,
        expiresAt = "never",
        json,
        quiet = false,
        ...request
      }: Settings & Output & { organization: string; expiresAt?: Date | "never" }) => {
        const issued = await withPeppers(async (context) => {
          const created = await createServiceAccount(context, {
            ...request,
            scopes: scope,
            expiresAt: expiryOf(expiresAt),
          });
          return withToken(await summarizeAccount(context, created.id), created);
        });
        report(issued, json, describeIssued(issued, { quiet }, describeAccount(issued)));
      },
    );
}

function addListCommand(accounts: Command, { withSchema, report }: Runner): void {
  accounts
    .command("list")
    .description("list service accounts and their valid tokens, without the secrets")
    .addOption(organizationOption().makeOptionMandatory(false))
    .addOption(jsonOption())
    .addHelpText("after", example("service-accounts list --organization acme"))
    .action(async ({ organization, json }: { organization?: string; json?: boolean }) => {
      const list = await withSchema((context) => listServiceAccounts(context, organization));
      const none =
        organization === undefined
          ? "There are no service accounts."
          : `${organization} has no service accounts.`;
      report(list, json, list.length === 0 ? none : formatAccounts(list));
    });
}

function addUpdateCommand(accounts: Command, { withSchema, report }: Runner): void {
  accounts
    .command("update")
    .description("change a service account's name, role or scopes")
    .argument("<id>", "id of the service account")
    .addOption(accountName())
    .addOption(roleOption())
    .addOption(scopeOption("the current ones that the role allows"))
    .addOption(jsonOption())
    .addHelpText("after", example(`service-accounts update ${EXAMPLE_ID} --role viewer`))
    .action(async (id: string, { json, scope, name, role }: Partial<Settings> & { json?: boolean }) => {
      const account = await withSchema(async (context) => {
        await changeServiceAccount(context, id, { name, role, scopes: scope });
        return summarizeAccount(context, id);
      });
      report(account, json, `Changed ${account.id}. ${describeAccount(account)}`);
    });
}

function addRotateCommand(accounts: Command, { withPeppers, report }: Runner): void {
  accounts
    .command("rotate")
    .description("create a new token for a service account and print it once")
    .argument("<id>", "id of the service account")
    .addOption(overlapOption("old token"))
    .addOption(quietOption("token"))
    .addOption(jsonOption())
    .addHelpText("after", example(`service-accounts rotate ${EXAMPLE_ID} --overlap 24`))
    .action(async (id: string, { overlap, ...output }: { overlap: string } & Output) => {
      const issued = await withPeppers(async (context) => {
        const created = await rotateServiceAccount(context, id, Number(overlap));
        return withToken(await summarizeAccount(context, created.id), created);
      });
      const text = `The old token ${describeOverlap(overlap)}.`;
      report(issued, output.json, describeIssued(issued, output, text));
    });
}

function addRevokeCommand(accounts: Command, { withSchema, report }: Runner): void {
  accounts
    .command("revoke")
    .description("revoke a service account and its tokens, immediately and permanently")
    .argument("<id>", "id of the service account")
    .addOption(jsonOption())
    .addHelpText("after", example(`service-accounts revoke ${EXAMPLE_ID}`))
    .action(async (id: string, { json }: { json?: boolean }) => {
      const account = await withSchema(async (context) => {
        await revokeServiceAccount(context, id);
        return summarizeAccount(context, id);
      });
      const name = `${printable(account.name)} of ${account.organization}`;
      report(account, json, `${name} was revoked at ${account.revokedAt?.toISOString()}.`);
    });
}

interface IssuedAccount extends AccountSummary {
  readonly token: string;
}

const withToken = (account: AccountSummary, { token }: IssuedToken): IssuedAccount => ({ token, ...account });

const describeIssued = ({ id, token }: IssuedAccount, output: Output, text: string): string =>
  describeSecret("token", token, output, { id, text });

/** Describes the settings of a service account: `Name ERP, role editor, scopes read:market.` */
const describeAccount = ({ name, role, scopes }: AccountSummary): string =>
  `Name ${printable(name)}, role ${role}, scopes ${scopes.join(", ")}.`;

const formatAccounts = (accounts: readonly AccountSummary[]): string =>
  formatTable(
    ["id", "organization", "status", "role", "tokens", "scopes", "name"],
    accounts.map(({ id, organization, status, role, tokens, scopes, name }) => [
      id,
      organization,
      status,
      role,
      tokens.map(({ display }) => display).join(",") || "-",
      scopes.join(","),
      name,
    ]),
  );
