import { z } from "zod";
import { upperCase, wholeNumber } from "../../../catalogue/values.js";
import { FORECAST_METHODS } from "../../../domain/foresight/methods.js";
import { scopeShape } from "../calculations/factor.js";

const common = {
  levels: z
    .string()
    .refine(
      (text) => /^\d{1,3}(\.\d+)?(,\d{1,3}(\.\d+)?)*$/.test(text),
      "expected percentages, such as 80,95",
    )
    .transform((text) => text.split(",").map(Number))
    .optional()
    .meta({
      type: "string",
      description:
        "Percentages for which intervals are given, separated by commas; `80,95` if they are left out.",
    }),
  window: wholeNumber("How many complete months to look back; 24 if it is left out.", 6, 60),
};

/** The query of a forecast. */
export const forecastQuery = z.strictObject({
  horizon: wholeNumber("How many months to forecast; 6 if it is left out.", 1, 12),
  ...common,
});

/** The query of predictions. */
export const predictionsQuery = z.strictObject({
  method: z.enum(FORECAST_METHODS).optional().meta({ description: "`ols` if it is left out." }),
  ...common,
});

export const methodOf = (method: (typeof FORECAST_METHODS)[number] | undefined) =>
  method && { method: upperCase(method) };

/** Which emissions. */
export const emissionFilter = z
  .object({
    scope: scopeShape,
    facility: z.string().meta({ description: "Code of a facility." }),
    category: z.string().meta({ description: "A category, spelled exactly." }),
  })
  .partial().shape;

/** Which instrument. */
export const instrumentFilter = {
  credit_type: z.string().meta({ description: "Credit type, in any case." }),
  exchange: z.string().meta({ description: "Exchange, in any case." }),
};
