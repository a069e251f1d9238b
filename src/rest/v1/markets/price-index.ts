import { z } from "zod";
import { shapeAt } from "../../../catalogue/problems.js";
import type { Override } from "../../catalogued.js";

interface Instrument {
  readonly credit_type: string;
  readonly excluded: string | null;
}

interface Index {
  readonly values: readonly { readonly instruments: readonly Instrument[] }[];
}

/** Separates the instruments that count on a day from the excluded ones. */
const split = (index: Index) => ({
  ...index,
  values: index.values.map(({ instruments, ...value }) => ({
    ...value,
    constituents: instruments.flatMap(({ excluded, ...constituent }) =>
      excluded === null ? [constituent] : [],
    ),
    excluded: instruments.flatMap(({ credit_type, excluded }) =>
      excluded === null ? [] : [{ credit_type, reason: excluded }],
    ),
  })),
});

/** Returns the constituents of a value separately from the excluded instruments. */
export const getPriceIndex: Override = (derived) => {
  const at = (...path: PropertyKey[]) => shapeAt(derived.data, path) as z.ZodObject;
  const value = at("values", 0);
  const instrument = at("values", 0, "instruments", 0);
  const { credit_type, excluded } = instrument.shape;
  const constituents = z.array(instrument.omit({ excluded: true }).meta({ id: "PriceIndexConstituent" }));
  const exclusion = z.object({ credit_type, reason: excluded }).meta({ id: "PriceIndexExclusion" });
  const values = value
    .omit({ instruments: true })
    .extend({
      constituents: constituents.meta({ description: "Instruments that count on that day." }),
      excluded: z.array(exclusion).meta({ description: "Instruments that do not count on that day." }),
    })
    .meta({ id: "PriceIndexValue" });
  return {
    ...derived,
    data: at()
      .extend({ values: z.array(values) })
      .meta({ id: "PriceIndex" }),
    example: split(derived.example as Index),
    reshape: (result, body) => split(derived.reshape(result, body) as Index),
  };
};
