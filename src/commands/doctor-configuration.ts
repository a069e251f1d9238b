import { readFile } from "node:fs/promises";
import type { Config, ConfigProblem } from "../config.js";
import { createSchema } from "../graphql/schema.js";
import { readTrustedDocuments } from "../graphql/trusted-documents.js";
import { SCHEMA_FILE } from "../paths.js";
import { type Finding, fail, ok, reasonOf, warn } from "./doctor-finding.js";

/** Whether the environment can be read, every problem by itself, and the file that it names. */
export async function examineConfiguration(
  problems: readonly ConfigProblem[],
  { trustedDocuments }: Config,
): Promise<Finding[]> {
  const found = problems.map(({ variable, text }) =>
    fail("configuration", `${text}.`, `Set ${variable} right, or unset it. The README lists every variable.`),
  );
  if (trustedDocuments !== undefined) {
    try {
      await readTrustedDocuments(trustedDocuments, createSchema(await readFile(SCHEMA_FILE, "utf8")));
    } catch (error) {
      found.push(
        fail(
          "configuration",
          reasonOf(error),
          "Put that file right: one JSON object of ids and texts that fit schema.graphql.",
        ),
      );
    }
  }
  return found.length > 0 ? found : [ok("configuration", "Every variable can be read.")];
}

/** What may be set otherwise than customers should be served with. */
export async function examineProduction(config: Config, isProduction: boolean): Promise<Finding[]> {
  const check = "production";
  if (!isProduction) {
    if (config.databaseUrl === undefined)
      return [ok(check, "NODE_ENV is not production, on an embedded database.")];
    return [
      warn(
        check,
        "NODE_ENV is not production, and DATABASE_URL is set: Sandbox and introspection are on unless they are turned off.",
        "Set NODE_ENV=production where customers are served.",
      ),
    ];
  }
  const found: Finding[] = [];
  if (config.keyPepper === undefined) {
    found.push(
      warn(
        check,
        "KEY_PEPPER is not set: a copy of the database is enough to test whether a key is in it.",
        "Set it, with KEY_PEPPER_PREVIOUS=none as long as keys that were made without it are used: see The pepper in the README.",
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
      warn(check, "Introspection is on in production.", "Unset GRAPHQL_INTROSPECTION, or set it to false."),
    );
  }
  if (config.databaseUrl === undefined) {
    found.push(
      warn(
        check,
        "The database is embedded: one process can serve, and no other can reach the data.",
        "Set DATABASE_URL.",
      ),
    );
  }
  if (config.redisUrls === undefined) {
    found.push(
      warn(
        check,
        "REDIS_URL is not set: each process counts requests by itself, and begins anew when it starts.",
        "Set REDIS_URL where more than one process serves.",
      ),
    );
  }
  return found.length > 0 ? found : [ok(check, "NODE_ENV is production, and nothing is left open.")];
}
