import type { GraphQLSchema } from "graphql";
import { readOperatorTools } from "../../catalogue/tools/operator-documents.js";
import type { ConfigProblem } from "../../config/read-variables.js";
import { type Config, isLocal } from "../../config.js";
import { isPrivateNetwork } from "../../delivery/public-address.js";
import { scopesOfDocument } from "../../graphql/schema/document-scopes.js";
import { ownSchema } from "../../graphql/schema/schema.js";
import { readTrustedDocuments } from "../../graphql/server/trusted-documents.js";
import { createSite } from "../../http/site.js";
import { type Finding, fail, ok, reasonOf, warn } from "./finding.js";

/** Checks the environment variables, the file of trusted documents, and the operator's own tools. */
export async function examineConfiguration(
  problems: readonly ConfigProblem[],
  config: Config,
): Promise<Finding[]> {
  const { trustedDocuments, mcpDocuments } = config;
  const found = problems.map(({ variable, given = variable, text }) =>
    fail("configuration", `${text}.`, `Correct or unset ${given}. docs/operations.md lists all variables.`),
  );
  found.push(
    ...config.misspelled.map((text) =>
      warn("configuration", text, "Correct or unset it. docs/operations.md lists all variables."),
    ),
    ...(await examineDocuments(
      trustedDocuments,
      readTrustedDocuments,
      "Correct the file: a JSON object that maps ids to operations of this schema.",
    )),
    ...(await examineDocuments(
      mcpDocuments,
      (folder, schema) => readOperatorTools(folder, schema, scopesOfDocument),
      "Correct the document. docs/agents.md describes tools.",
    )),
    ...examinePublicUrl(config),
    ...examineMail(config),
    ...examineNetworks(config),
  );
  return found.length > 0 ? found : [ok("configuration", "All variables are valid.")];
}

/** Checks a file or folder of documents by reading it, if its path is set. */
async function examineDocuments(
  path: string | undefined,
  read: (path: string, schema: GraphQLSchema) => Promise<unknown>,
  mend: string,
): Promise<Finding[]> {
  if (path === undefined) return [];
  try {
    await read(path, ownSchema());
    return [];
  } catch (error) {
    return [fail("configuration", reasonOf(error), mend)];
  }
}

/** Checks that users can sign in at the gateway's address. */
function examinePublicUrl(config: Config): Finding[] {
  const { publicUrl, port } = config;
  if (publicUrl === undefined) {
    if (isLocal(config)) return [];
    return [
      warn(
        "configuration",
        "PUBLIC_URL is not set, but HOST allows other machines to connect: users there cannot sign in, and links point to 127.0.0.1.",
        "Set PUBLIC_URL to the address that browsers open, such as https://carbon.example.com.",
      ),
    ];
  }
  if (createSite(publicUrl, () => port).keepsCookies({ headers: {} })) return [];
  return [
    warn(
      "configuration",
      "PUBLIC_URL starts with http://, but browsers accept session cookies only over HTTPS, so users cannot sign in.",
      "Put a proxy with TLS in front of the gateway, and set PUBLIC_URL to its https:// address.",
    ),
  ];
}

/** Warns if the links in e-mails would not work. */
function examineMail({ mail, publicUrl }: Config): Finding[] {
  if (mail === undefined || publicUrl !== undefined) return [];
  return [
    warn(
      "configuration",
      "SMTP_URL is set, but PUBLIC_URL is not: links in e-mails point to 127.0.0.1.",
      "Set PUBLIC_URL to the address that browsers open, such as https://carbon.example.com.",
    ),
  ];
}

/** Warns if webhooks may reach internal networks, or if OIDC_ALLOW_NETWORKS contains non-private networks. */
function examineNetworks({ webhookAllowNetworks, oidcAllowNetworks }: Config): Finding[] {
  const wide = oidcAllowNetworks.filter((network) => !isPrivateNetwork(network));
  return [
    ...(webhookAllowNetworks.length === 0 ? [] : [warnOfWebhooks(webhookAllowNetworks)]),
    ...(wide.length === 0 ? [] : [warnOfProviders(wide)]),
  ];
}

const warnOfWebhooks = (networks: readonly string[]) =>
  warn(
    "configuration",
    `WEBHOOK_ALLOW_NETWORKS lets every organization's webhooks call ${networks.join(", ")}.`,
    "List only networks, or single addresses such as 10.0.0.7/32, where no service trusts a request just because it comes from inside. Unset it if there are no receivers.",
  );

const warnOfProviders = (networks: readonly string[]) =>
  warn(
    "configuration",
    `OIDC_ALLOW_NETWORKS contains networks that are neither private nor loopback: ${networks.join(", ")}. The owners of any organization can make the gateway send requests there.`,
    "List only the addresses of your identity providers, such as 10.0.0.7/32. Public addresses are always allowed.",
  );

/** Checks the recommended settings for production, without those that are `wrong`. */
export async function examineProduction(config: Config, wrong: ReadonlySet<string>): Promise<Finding[]> {
  const check = "production";
  if (!config.isProduction) {
    if (wrong.has("DATABASE_URL")) return [];
    if (config.databaseUrl === undefined)
      return [ok(check, "NODE_ENV is not production, and the database is embedded.")];
    return [
      warn(
        check,
        "DATABASE_URL is set, but NODE_ENV is not production: introspection is enabled by default, and so are the explorers unless PUBLIC_URL is set.",
        "Set NODE_ENV=production if this gateway serves customers.",
      ),
    ];
  }
  const found: Finding[] = [];
  if (config.keyPepper === undefined && !wrong.has("KEY_PEPPER")) {
    found.push(
      warn(
        check,
        "KEY_PEPPER is not set: anyone with a copy of the database can test keys against it.",
        "Set KEY_PEPPER, and KEY_PEPPER_PREVIOUS=none while keys created without a pepper are in use. See The pepper in docs/operations.md.",
      ),
    );
  }
  if (config.sandbox) {
    found.push(
      warn(
        check,
        "Apollo Sandbox and /graphiql are served in production.",
        "Unset GRAPHQL_SANDBOX, or set it to false.",
      ),
    );
  }
  if (config.introspection) {
    found.push(
      warn(
        check,
        "Introspection is enabled in production.",
        "Unset GRAPHQL_INTROSPECTION, or set it to false.",
      ),
    );
  }
  if (config.databaseUrl === undefined && !wrong.has("DATABASE_URL")) {
    found.push(warn(check, "The database is embedded: only one process can use it.", "Set DATABASE_URL."));
  }
  if (config.redisUrls === undefined && !wrong.has("REDIS_URL")) {
    found.push(
      warn(
        check,
        "REDIS_URL is not set: each process counts requests separately, and from zero after a restart.",
        "Set REDIS_URL if you run several processes.",
      ),
    );
  }
  return found.length > 0 || wrong.size > 0
    ? found
    : [ok(check, "NODE_ENV is production, and all settings are as recommended.")];
}
