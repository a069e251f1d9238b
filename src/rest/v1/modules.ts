import { z } from "zod";
import { MODULES, type Module } from "../../domain/modules.js";
import { AppError } from "../../errors.js";

/** The path of something that only some modules have, `/{module}/…`. */
export const moduleParams = z.object({
  // Only described as an enum: what is none of them is NOT_FOUND, with their names.
  module: z.string().meta({ enum: [...MODULES], description: "A part of the product." }),
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
