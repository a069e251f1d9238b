import type { Command } from "commander";
import type { Runner } from "../runner.js";
import { addCreateCommand, addRotateCommand } from "./create.js";
import { addHistoryCommand, addListCommand } from "./list.js";
import { addRevokeCommand, addUpdateCommand } from "./update.js";

/** Adds `keys create | list | history | revoke | rotate | update`. */
export function addKeyCommands(program: Command, runner: Runner): void {
  const keys = program.command("keys").description("manage API keys");
  addCreateCommand(keys, runner);
  addListCommand(keys, runner);
  addHistoryCommand(keys, runner);
  addRevokeCommand(keys, runner);
  addRotateCommand(keys, runner);
  addUpdateCommand(keys, runner);
}
