import { type Command, InvalidArgumentError, Option } from "commander";
import { requireOrganization } from "../../actions/people/organizations.js";
import { isObject } from "../../domain/is-object.js";
import { KEY_SCOPES } from "../../domain/scopes.js";
import { example, jsonOption, organizationOption } from "../options.js";
import { formatTable } from "../output/table.js";
import type { Runner } from "../runner.js";

type KeyScopes = readonly (typeof KEY_SCOPES)[number][];

const keyScopesOption = () =>
  new Option("--key-scopes <scope...>", "scopes of the API key")
    .choices(KEY_SCOPES)
    .default(KEY_SCOPES, "all");

interface ListOptions {
  readonly organization?: string;
  readonly keyScopes: KeyScopes;
  readonly json?: boolean;
}

/** Adds `tool list | call`. */
export function addToolCommands(program: Command, runner: Runner): void {
  const tool = program.command("tool").description("list and call the tools for language models");
  addListCommand(tool, runner);
  addCallCommand(tool, runner);
}

function addListCommand(tool: Command, { environment, report, withSchema }: Runner): void {
  tool
    .command("list")
    .description("list the tools available to an API key, including those in MCP_DOCUMENTS")
    .addOption(organizationOption(" that owns the key").makeOptionMandatory(false))
    .addOption(keyScopesOption())
    .addOption(jsonOption())
    .addHelpText("after", example("tool list --key-scopes read:emissions read:market"))
    .action(async ({ organization, keyScopes, json }: ListOptions) => {
      // Imported here, because without the schema the other commands start in half the time.
      const { listTools } = await import("./run.js");
      if (organization !== undefined)
        await withSchema(({ database }) => requireOrganization(database, organization));
      const list = await listTools(environment, keyScopes);
      const rows = list.map(({ name, description }) => [name, description]);
      report(list, json, formatTable(["name", "description"], rows));
    });
}

function addCallCommand(tool: Command, { environment, clock, withSchema, print }: Runner): void {
  tool
    .command("call")
    .description("call a tool with an API key's rights, and print the result as JSON")
    .argument("<name>", "name of the tool")
    .argument("[arguments]", "arguments of the tool, as a JSON object", readObject, {})
    .addOption(organizationOption())
    .addOption(keyScopesOption())
    .addHelpText("after", example(`tool call list_facilities '{"limit":5}' --organization acme`))
    .action(
      async (
        name: string,
        given: object,
        { organization, keyScopes }: { organization: string; keyScopes: KeyScopes },
      ) => {
        const { callTool } = await import("./run.js");
        const answer = await withSchema(({ database }) =>
          callTool({ environment, clock, database }, { name, given, organization, scopes: keyScopes }),
        );
        print(JSON.stringify(answer, null, 2));
      },
    );
}

/** Reads a JSON object. Throws InvalidArgumentError. */
function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Rejected below, like any other value.
  }
  throw new InvalidArgumentError("Expected a JSON object.");
}
