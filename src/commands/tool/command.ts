import { type Command, InvalidArgumentError, Option } from "commander";
import { requireOrganization } from "../../actions/people/organizations.js";
import { isObject } from "../../domain/is-object.js";
import { KEY_SCOPES } from "../../domain/scopes.js";
import { example, jsonOption, organizationOption } from "../options.js";
import { formatTable } from "../output/table.js";
import type { Runner } from "../runner.js";

type KeyScopes = readonly (typeof KEY_SCOPES)[number][];

const keyScopesOption = () =>
  new Option("--key-scopes <scope...>", "scopes of the API key to act as; all of them if omitted")
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
    .description("list the tools that an API key sees, those of MCP_DOCUMENTS among them")
    .addOption(organizationOption(" that has the key").makeOptionMandatory(false))
    .addOption(keyScopesOption())
    .addOption(jsonOption())
    .addHelpText("after", example("tool list --key-scopes read:emissions read:market"))
    .action(async ({ organization, keyScopes, json }: ListOptions) => {
      // Loaded here, because the other commands start twice as fast without the schema.
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
    .description("call a tool as an API key of an organization would, and print its answer as JSON")
    .argument("<name>", "name of the tool")
    .argument("[arguments]", "its arguments as a JSON object", readObject, {})
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
    // Refused below, like any other value.
  }
  throw new InvalidArgumentError("Expected a JSON object.");
}
