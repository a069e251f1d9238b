import { type Command, Option } from "commander";
import { deleteMapping } from "../actions/mappings/delete-mapping.js";
import { describeMappings } from "../actions/mappings/list-mappings.js";
import { setMappings } from "../actions/mappings/set-mappings.js";
import { requireOrganizationId } from "../actions/people/organizations.js";
import type { MappingRow } from "../data/mappings/mappings.js";
import { example, jsonOption, organizationOption } from "./options.js";
import { formatTable } from "./output/table.js";
import { printable } from "./output/terminal.js";
import type { Runner } from "./runner.js";

interface Common {
  readonly organization: string;
  readonly json?: boolean;
}

interface SetOptions extends Common {
  readonly text: string;
  readonly unit: string;
  readonly unitAs?: string;
  readonly region?: string;
  readonly factor: string;
  readonly fixedYear: boolean;
}

/** Adds `mappings list | set | delete`. */
export function addMappingCommands(program: Command, { withSchema, report }: Runner): void {
  const mappings = program
    .command("mappings")
    .description("manage an organization's choice of emission factors for the texts in its files");

  mappings
    .command("list")
    .description("list an organization's mappings, by text")
    .addOption(organizationOption())
    .addOption(new Option("--search <text>", "only mappings whose text contains this"))
    .addOption(jsonOption())
    .action(async ({ organization, search, json }: Common & { readonly search?: string }) => {
      const list = await withSchema(({ database }) => describeMappings(database, organization, search));
      const rows = list.map(({ id, factor, ...mapping }) => [
        id,
        nameOf(mapping),
        factor ?? "no factor",
        mapping.fixedYear ? "fixed" : "",
      ]);
      const text =
        rows.length === 0
          ? `${organization} has no mappings.`
          : formatTable(["id", "text", "factor", "edition"], rows);
      report(list, json, text);
    });

  mappings
    .command("set")
    .description("map a text to an emission factor; replaces an earlier mapping")
    .addOption(organizationOption())
    .requiredOption("--text <text>", "the text in the files, such as 'Strom Werk 2'")
    .requiredOption("--unit <unit>", "unit of the amounts, such as kWh")
    .option("--unit-as <unit>", "exact unit if --unit is ambiguous, such as 'kWh (gross CV)'")
    .option("--region <region>", "only for rows of this region, such as DE")
    .requiredOption("--factor <id>", "id of the emission factor")
    .option(
      "--fixed-year",
      "use this factor for every year, instead of the edition for each record's year",
      false,
    )
    .addOption(jsonOption())
    .addHelpText(
      "after",
      example("mappings set --organization acme --text 'Strom Werk 2' --unit kWh --factor <id>"),
    )
    .action(async ({ organization, json, factor, ...mapping }: SetOptions) => {
      const [set] = await withSchema(async ({ database, now }) => {
        const organizationId = await database.transaction((sql) => requireOrganizationId(sql, organization));
        return setMappings(database, { writer: "mappings set", organizationId, now }, [
          { ...mapping, factorId: factor },
        ]);
      });
      if (set) report(set, json, `Set mapping ${set.id} for ${nameOf(set)}.`);
    });

  mappings
    .command("delete")
    .description("delete a mapping; keeps the records calculated with it")
    .argument("<id>", "id of the mapping")
    .addOption(organizationOption())
    .addOption(jsonOption())
    .action(async (id: string, { organization, json }: Common) => {
      const deleted = await withSchema(async ({ database }) => {
        const organizationId = await database.transaction((sql) => requireOrganizationId(sql, organization));
        return deleteMapping(database, { writer: "mappings delete", organizationId }, id, undefined);
      });
      report(deleted, json, `Deleted the mapping for ${nameOf(deleted)}.`);
    });
}

const nameOf = ({ text, unit, unitAs, region }: Omit<MappingRow, "id">): string =>
  `${printable(text)} (${[unit, unitAs && `as ${unitAs}`, region].filter(Boolean).join(", ")})`;
