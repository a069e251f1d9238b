import type { Command } from "commander";
import {
  BundleFileError,
  isFileProblem,
  LoadError,
  type LoadedFile,
  loadFiles,
} from "../actions/bundle/load.js";
import { countOf } from "../domain/texts/count-of.js";
import { OperatorError } from "../errors.js";
import { describeFailure } from "./failures.js";
import { example, jsonOption } from "./options.js";
import { toJson } from "./output/json.js";
import type { Runner } from "./runner.js";

/** Adds `load`. */
export function addLoadCommand(program: Command, { withSchema, print, say }: Runner): void {
  program
    .command("load")
    .description("load bundles (JSON files); if one has a problem, none is loaded")
    .argument("<file...>", "JSON files")
    .addOption(jsonOption())
    .addHelpText("after", example("load acme.json"))
    .action(async (files: string[], { json }: { json?: boolean }) => {
      try {
        const loaded = await withSchema(({ database, now }) => loadFiles(database, files, now), {
          mayCreate: true,
        });
        for (const one of loaded) (json ? say : print)(describeLoaded(one));
        if (json) print(toJson(loaded));
      } catch (error) {
        if (!(error instanceof LoadError)) throw error;
        if (json) print(toJson(reportFailures(error)));
        throw new OperatorError(describeFailures(error));
      }
    });
}

/** Singular noun for the rows of each section. */
const NOUNS: Readonly<Record<keyof LoadedFile["sections"], string>> = {
  organization: "organization",
  facilities: "facility",
  emission_records: "emission record",
  frameworks: "framework",
  deadlines: "deadline",
  credit_batches: "credit batch",
  retirements: "retirement",
  market_prices: "market price",
  benchmarks: "benchmark",
};

/** Describes a loaded bundle: `acme.json (acme): 1 organization unchanged; 3 facilities added, 1 updated`. */
export function describeLoaded({ file, organization, sections }: LoadedFile): string {
  const parts = Object.entries(sections).map(([name, { added, updated, unchanged }]) => {
    const noun = NOUNS[name as keyof typeof NOUNS];
    return Object.entries({ added, updated, unchanged })
      .filter(([, count]) => count > 0)
      .map(([done, count], index) => `${index === 0 ? countOf(count, noun) : count} ${done}`)
      .join(", ");
  });
  return `${file} (${organization ?? "reference data"}): ${parts.join("; ") || "nothing to load"}`;
}

/** Describes the problems of each file, one per line. */
export function describeFailures({ failures, files }: LoadError): string {
  const described = [...failures].map(([file, error]) => {
    if (!(error instanceof BundleFileError)) return describeOne(error);
    const { problems } = error;
    return `${file} has ${countOf(problems.length, "problem")}; nothing was loaded:\n${problems.join("\n")}`;
  });
  if (files.length > 1) described.push(`None of the ${files.length} files was loaded.`);
  return described.join("\n");
}

/** Returns the problems of each file, for --json. */
export function reportFailures({ failures, files }: LoadError) {
  return {
    failed: [...failures].map(([file, error]) => ({
      file,
      problems: error instanceof BundleFileError ? error.problems : [describeOne(error)],
    })),
    notLoaded: files.filter((file) => !failures.has(file)),
  };
}

const describeOne = (error: unknown) => (isFileProblem(error) ? error.message : describeFailure(error, {}));
