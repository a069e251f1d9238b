import { z } from "zod";
import { decimalShape } from "../../../catalogue/decimal.js";
import { GWP_SETS } from "../../../domain/ghg/gwp.js";
import { scopeShape, upperCase } from "./factor.js";

/** The shape of an activity in a request. */
export const activityShape = z
  .strictObject({
    amount: decimalShape("0 to 10^15 with at most 12 decimals; as text if digits could be lost."),
    unit: z.string().meta({ description: "Such as `kWh (gross CV)`, `litre` or `passenger.km`." }),
    factor_id: z.string().optional(),
    selector: z
      .strictObject({
        activity: z.string(),
        region: z.string(),
        year: z.int32().optional().meta({ description: "Year of the activity; this year if left out." }),
        scope: scopeShape.optional(),
        gas: z.string().optional(),
        allow_global: z.boolean().default(false),
      })
      .meta({ id: "FactorSelector" })
      .optional(),
    gas: z.string().optional().meta({ description: "A gas that was released, such as `CH4` or `R-410A`." }),
    gwp: z.enum(GWP_SETS).default("AR6"),
    fossil: z.boolean().optional().meta({ description: "For `CH4`; false if left out." }),
  })
  .meta({
    id: "Activity",
    description: "By exactly one of `factor_id`, `selector` and `gas`.",
  });

/** An activity as the graph takes it. */
export const toActivity = ({ amount, factor_id, selector, ...rest }: z.output<typeof activityShape>) => ({
  ...rest,
  amount: String(amount),
  factorId: factor_id,
  selector: selector && {
    activity: selector.activity,
    region: selector.region,
    year: selector.year,
    gas: selector.gas,
    scope: selector.scope && upperCase(selector.scope),
    allowGlobal: selector.allow_global,
  },
});
