import type { CbamObligation } from "../../../../generated/console.js";

/** What is due for a year of imports. */
export const OBLIGATIONS: Readonly<Record<CbamObligation, string>> = {
  SURRENDER: "Declare and surrender certificates",
  NONE_DE_MINIMIS: "None: up to 50 t",
};
