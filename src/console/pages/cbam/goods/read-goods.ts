import type { CbamBasis, CbamLineInput } from "../../../../generated/console.js";
import type { Problem } from "../../../gateway/failure.js";
import { needDecimal, optionalOf, textOf } from "../../../parts/forms/values.js";

/** The goods whose fields have names that begin with `path`. What is empty was not given. */
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
    (name) => name.startsWith(`${path}precursors.`) && name.endsWith(".cnCode"),
  );
  return names.map((_, index) => {
    const text = (name: string) => textOf(values, `${path}precursors[${index}].${name}`).trim();
    return { cnCode: readCode(text("cnCode")), massT: text("massT"), route: readRoute(text("route")) };
  });
}

/** A code without the spaces that it is printed with. */
const readCode = (text: string) => text.replace(/\s/g, "");
const readRoute = (text: string) => text.toUpperCase() || null;

const NUMBERS = /(massT|Tco2ePerT|reductionTco2e|certificatePriceEur)$/;

/** What is wrong with the numbers in a form, as far as a browser can tell; a mass must be there. */
export function checkNumbers(values: FormData): readonly Problem[] {
  return [...values.keys()]
    .filter((name) => NUMBERS.test(name))
    .filter((path) => path.endsWith("massT") || optionalOf(values, path))
    .flatMap((path) => needDecimal(values, path, "12.5"));
}
