import { type Command, Option } from "commander";
import { type ErasedPerson, eraseUser } from "../actions/leaving/erase-user.js";
import {
  changeUserEmail,
  confirmUserEmail,
  createResetLink,
  type MailingContext,
} from "../actions/people/addresses.js";
import {
  type CreatedInvitation,
  createSuperAdmin,
  disableUser,
  enableUser,
  inviteUser,
} from "../actions/people/administer-users.js";
import { resetUserFactors } from "../actions/people/reset-factors.js";
import { createSignInLink, type LinkContext, type SignInLink } from "../actions/people/sign-in-links.js";
import { readConfig } from "../config.js";
import { type Account, listAccounts } from "../data/people/accounts.js";
import { ROLES, type Role } from "../domain/people/roles.js";
import { OperatorError } from "../errors.js";
import { createSite } from "../http/site.js";
import { example, jsonOption, nameOption, organizationOption } from "./options.js";
import { confirm } from "./output/confirm.js";
import { formatTable } from "./output/table.js";
import { printable } from "./output/terminal.js";
import type { Runner } from "./runner.js";

interface Creation {
  readonly organization?: string;
  readonly email: string;
  readonly role?: Role;
  readonly superAdmin?: boolean;
  readonly name?: string;
  readonly json?: boolean;
}

/**
 * Adds `users create | sign-in-link | reset-link | confirm-email | change-email | reset-factors | list | disable |
 * enable | erase`.
 */
export function addUserCommands(program: Command, { environment, withSchema, report, say }: Runner): void {
  const users = program.command("users").description("manage user accounts");
  const withLinks = async <T>(work: (context: LinkContext) => Promise<T>): Promise<T> => {
    const { publicUrl, port, databaseUrl, isProduction } = readConfig(environment);
    const site = createSite(publicUrl, () => port);
    const result = await withSchema((context) => work({ ...context, site }));
    if (publicUrl === undefined && (databaseUrl !== undefined || isProduction))
      say(`Warning: PUBLIC_URL is not set, so the link leads to ${site.url()}. Set it as for the gateway.`);
    return result;
  };
  // The command only queues e-mails; a running gateway sends them.
  const withMails = <T>(work: (context: MailingContext) => Promise<T>): Promise<T> => {
    const { mail: mailer = null } = readConfig(environment);
    return withSchema((context) => work({ ...context, outbound: { mailer } }));
  };

  /** Adds a command whose only argument is a user's e-mail address. */
  const addEmailCommand = <Result>(
    name: string,
    description: string,
    run: (email: string) => Promise<Result>,
    describe: (result: Result) => string,
  ) =>
    users
      .command(name)
      .description(description)
      .argument("<email>", "e-mail address of the user")
      .addOption(jsonOption())
      .addHelpText("after", example(`users ${name} ada@example.com`))
      .action(async (email: string, { json }: { json?: boolean }) => {
        const result = await run(email);
        report(result, json, describe(result));
      });

  users
    .command("create")
    .description("invite a user to an organization, or create a super admin; prints a link once")
    .addOption(organizationOption().makeOptionMandatory(false))
    .requiredOption("--email <email>", "e-mail address of the user")
    .addOption(new Option("--role <role>", "role in the organization").choices(ROLES))
    .addOption(
      new Option("--super-admin", "create a super admin, who belongs to no organization").conflicts([
        "organization",
        "role",
      ]),
    )
    .addOption(nameOption("name of a super admin (default: the e-mail address)").conflicts("organization"))
    .addOption(jsonOption())
    .addHelpText(
      "after",
      example(
        "users create --organization acme --email ada@example.com --role owner",
        "users create --super-admin --email root@example.com",
      ),
    )
    .action(async ({ organization, role, email, superAdmin, name = email, json }: Creation) => {
      if (superAdmin) {
        const created = await withLinks((context) => createSuperAdmin(context, { email, name }));
        report(created, json, describeLink(created));
        return;
      }
      if (organization === undefined || role === undefined) {
        throw new OperatorError("Specify --organization and --role, or --super-admin.", 2);
      }
      const invited = await withLinks((context) => inviteUser(context, { organization, email, role }));
      report(invited, json, describeLink(invited));
    });

  addEmailCommand(
    "sign-in-link",
    "print a link that signs a user in without a password, valid for 15 minutes",
    (email) => withLinks((context) => createSignInLink(context, email)),
    describeLink,
  );
  addEmailCommand(
    "reset-link",
    "print a link for setting a new password, valid for 30 minutes",
    (email) => withLinks((context) => createResetLink(context, email)),
    describeLink,
  );
  addEmailCommand(
    "confirm-email",
    "confirm a user's e-mail address without a link",
    (email) => withSchema(({ database, now }) => confirmUserEmail(database, email, now)),
    ({ email }) => `${email} is confirmed.`,
  );

  users
    .command("change-email")
    .description("change a user's e-mail address; the new address needs no confirmation")
    .argument("<email>", "current e-mail address of the user")
    .argument("<new>", "new e-mail address")
    .addOption(jsonOption())
    .addHelpText("after", example("users change-email ada@example.com ada@example.org"))
    .action(async (email: string, next: string, { json }: { json?: boolean }) => {
      const account = await withMails((context) => changeUserEmail(context, email, next));
      report(account, json, `Changed the e-mail address of ${email} to ${account.email}.`);
    });

  addEmailCommand(
    "reset-factors",
    "remove all second factors of a user who has lost them, and end the user's sessions",
    (email) => withMails((context) => resetUserFactors(context, email)),
    ({ email }) => `Removed all second factors of ${email}, and ended all sessions.`,
  );

  users
    .command("list")
    .description("list all users with their organizations")
    .addOption(jsonOption())
    .action(async ({ json }: { json?: boolean }) => {
      const list = await withSchema(({ database }) => listAccounts(database));
      report(list, json, list.length === 0 ? "There are no users." : formatAccounts(list));
    });

  addEmailCommand(
    "disable",
    "block a user from signing in, and end the user's sessions",
    (email) => withSchema(({ database, now }) => disableUser(database, email, now)),
    ({ email }) => `Disabled ${email}, and ended all sessions.`,
  );
  addEmailCommand(
    "enable",
    "let a disabled user sign in again",
    (email) => withSchema(({ database }) => enableUser(database, email)),
    ({ email }) => `${email} can sign in again.`,
  );

  users
    .command("erase")
    .description(
      "permanently erase a person: name, address and credentials; the id stays in records and trails",
    )
    .argument("<email>", "e-mail address of the user")
    .option("--yes", "do not ask for confirmation")
    .addOption(jsonOption())
    .addHelpText("after", example("users erase ada@example.com"))
    .action(async (email: string, { yes, json }: { yes?: boolean; json?: boolean }) => {
      const ask = async (account: ErasedPerson) => {
        if (account.isOnlySuperAdmin)
          say("Warning: this is the only super admin. users create --super-admin creates another.");
        if (yes) return;
        say(`About to erase ${printable(account.name)} (${account.email}).`);
        if (!(await confirm("Permanently erase this person?")))
          throw new OperatorError("Nothing was erased.");
      };
      const erased = await withSchema(({ database, now }) => eraseUser(database, email, now, ask));
      const places = Object.entries(erased.mentions).map(([column, count]) => `${column} ${count}`);
      const rest =
        places.length > 0 ? ` Rows that still contain the name or the address: ${places.join(", ")}.` : "";
      const done =
        erased.id === null
          ? "Erased the invitations and requests to verify of this person, who has no account."
          : `Erased the person. The id ${erased.id} stays in records and trails.`;
      report(erased, json, `${done}${rest}`);
    });
}

function describeLink({ link, email, expiresAt }: CreatedInvitation | SignInLink): string {
  const until = `It is for ${email}, works once and expires at ${expiresAt.toISOString()}.`;
  return `${link}\n\nCopy this link now: it is not stored and cannot be shown again.\n${until}`;
}

function formatAccounts(accounts: readonly Account[]): string {
  return formatTable(
    ["id", "email", "organizations", "disabled", "last sign-in", "name"],
    accounts.map(({ id, email, organizations, isSuperAdmin, disabledAt, lastSignInAt, name }) => {
      const roles = organizations.map(({ slug, role }) => `${slug} (${role})`);
      const places = isSuperAdmin ? ["super admin", ...roles] : roles;
      return [
        id,
        email,
        places.join(", ") || "-",
        disabledAt?.toISOString() ?? "no",
        lastSignInAt?.toISOString() ?? "never",
        name,
      ];
    }),
  );
}
