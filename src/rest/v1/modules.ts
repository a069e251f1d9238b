import { z } from "zod";
import { MODULES, type Module } from "../../domain/modules.js";
import { AppError } from "../../errors.js";

/** The path of something that only some modules have, `/{module}/…`. */
export const moduleParams = z.object({
  module: z.string().meta({ description: `One of ${MODULES.map((name) => `\`${name}\``).join(", ")}.` }),
});

/** Throws NOT_FOUND for an unknown module, and NOT_SUPPORTED_FOR_MODULE for one that has no `what`, such as an import. */
export function requireModule(name: string, what: string, having: readonly Module[]): Module {
  const module = MODULES.find((known) => known === name);
  if (module === undefined) {
    const given = JSON.stringify(name.slice(0, 60));
    throw new AppError("NOT_FOUND", `There is no module ${given}: expected one of ${MODULES.join(", ")}.`);
  }
  if (having.includes(module)) return module;
  const message = `The module ${module} has no ${what}. It is for ${having.join(", ")}.`;
  throw new AppError("NOT_SUPPORTED_FOR_MODULE", message);
}
