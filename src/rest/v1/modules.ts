import { z } from "zod";
import { MODULES, type Module } from "../../domain/modules.js";
import { AppError } from "../../errors.js";

/** Path parameter of a resource that only some modules have, `/{module}/…`. */
export const moduleParams = z.object({
  // An enum in the description only: an unknown module is NOT_FOUND, and the error names the modules.
  module: z.string().meta({ enum: [...MODULES], description: "Part of the product." }),
});

/**
 * Throws NOT_FOUND for an unknown module, and NOT_SUPPORTED_FOR_MODULE for one that does not have `what`, such as an
 * import.
 */
export function requireModule(name: string, what: string, having: readonly Module[]): Module {
  const module = MODULES.find((known) => known === name);
  if (module === undefined) {
    const given = JSON.stringify(name.slice(0, 60));
    throw new AppError("NOT_FOUND", `There is no module ${given}: expected one of ${MODULES.join(", ")}.`);
  }
  if (having.includes(module)) return module;
  const message = `The module ${module} has no ${what}. Modules with one: ${having.join(", ")}.`;
  throw new AppError("NOT_SUPPORTED_FOR_MODULE", message);
}
