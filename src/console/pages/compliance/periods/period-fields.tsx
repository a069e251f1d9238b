import type { Problem } from "../../../gateway/failure.js";
import { Field } from "../../../parts/fields/field.js";
import { NumberField } from "../../../parts/fields/number.js";
import { need, textsOf } from "../../../parts/forms/values.js";
import { writeDecimal } from "../../../parts/numbers.js";

/** Measured and published figures of a period. Amounts are decimals with all their digits. */
export interface PeriodText {
  readonly targetGei: string;
  readonly targetSourceUrl: string;
  readonly achievedGei: string;
  readonly output: string;
  /** Empty until the cycle's average price is published. */
  readonly averagePrice: string;
}

/** Labels of a period's amounts. */
const AMOUNTS = {
  targetGei: "Target intensity",
  achievedGei: "Achieved intensity",
  output: "Equivalent output",
  averagePrice: "Average price of the cycle",
} as const;

const HINTS: Readonly<Record<keyof typeof AMOUNTS, string>> = {
  targetGei: "tCO₂e per unit of output",
  achievedGei: "tCO₂e per unit of output",
  output: "In the same unit as the target",
  averagePrice: "₹ per certificate. Leave empty until it is published",
};

const NAMES = Object.keys(AMOUNTS) as (keyof typeof AMOUNTS)[];

/** The fields of a period. */
export const PeriodFields = (period: PeriodText) => (
  <>
    <div class="pair">
      {NAMES.map((name) => (
        <NumberField
          key={name}
          label={AMOUNTS[name]}
          name={name}
          isRequired={name !== "averagePrice"}
          value={period[name]}
          hint={HINTS[name]}
        />
      ))}
    </div>
    <Field
      label="Source of the target"
      name="targetSourceUrl"
      type="url"
      value={period.targetSourceUrl}
      hint="Link to the notification that sets it"
    />
  </>
);

/** Reads a period from the form. */
export const readPeriod = (values: FormData): PeriodText =>
  textsOf(values, "targetGei", "targetSourceUrl", "achievedGei", "output", "averagePrice");

/** Returns the values of a period by field label. */
export const describePeriod = (period: PeriodText) => ({
  ...Object.fromEntries(
    NAMES.map((name) => [AMOUNTS[name], period[name] ? writeDecimal(period[name]) : null]),
  ),
  "Source of the target": period.targetSourceUrl,
});

/** Checks that a source is entered. The number fields check themselves. */
export function checkPeriod(values: FormData): readonly Problem[] {
  return need("targetSourceUrl", readPeriod(values).targetSourceUrl !== "", "Enter the link.");
}
