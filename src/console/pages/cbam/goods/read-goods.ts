import type { CbamBasis, CbamLineInput } from "../../../../generated/console.js";
import { optionalOf, textOf } from "../../../parts/forms/values.js";

/** Reads the goods from the fields whose names start with `path`. Empty optional fields are null. */
export function readGoods(values: FormData, path: string): CbamLineInput {
  const text = (name: string) => textOf(values, path + name).trim();
  const optional = (name: string) => optionalOf(values, path + name);
  return {
    cnCode: readCode(text("cnCode")),
    country: text("country"),
    massT: text("massT"),
    basis: text("basis") as CbamBasis,
    route: readRoute(text("route")),
    directTco2ePerT: optional("directTco2ePerT"),
    indirectTco2ePerT: optional("indirectTco2ePerT"),
    precursors: readPrecursors(values, path),
    reductionTco2e: optional("reductionTco2e"),
  };
}

function readPrecursors(values: FormData, path: string): CbamLineInput["precursors"] {
  const names = [...values.keys()].filter(
    (name) => name.startsWith(`${path}precursors[`) && name.endsWith(".cnCode"),
  );
  return names.map((_, index) => {
    const text = (name: string) => textOf(values, `${path}precursors[${index}].${name}`).trim();
    return { cnCode: readCode(text("cnCode")), massT: text("massT"), route: readRoute(text("route")) };
  });
}

/** Returns a code without the spaces of its printed form. */
const readCode = (text: string) => text.replace(/\s/g, "");
const readRoute = (text: string) => text.toUpperCase() || null;
