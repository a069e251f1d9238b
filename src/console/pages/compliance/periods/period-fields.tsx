import type { Problem } from "../../../gateway/failure.js";
import { Field } from "../../../parts/fields/field.js";
import { isDecimal } from "../../../parts/forms/checks.js";
import { textOf } from "../../../parts/forms/form.js";

/** What is measured and published for a period: decimals with every digit. */
export interface PeriodText {
  readonly targetGei: string;
  readonly targetSourceUrl: string;
  readonly achievedGei: string;
  readonly output: string;
  /** Empty until the cycle's average price is published. */
  readonly averagePrice: string;
}

/** The amounts of a period, by their labels. */
const AMOUNTS = {
  targetGei: "Target intensity",
  achievedGei: "Achieved intensity",
  output: "Equivalent output",
  averagePrice: "Average price of the cycle",
} as const;

const HINTS: Readonly<Record<keyof typeof AMOUNTS, string>> = {
  targetGei: "tCO₂e per unit of output",
  achievedGei: "tCO₂e per unit of output",
  output: "In the unit of the target",
  averagePrice: "₹ per certificate. Empty until it is published",
};

const NAMES = Object.keys(AMOUNTS) as (keyof typeof AMOUNTS)[];

/** The fields of a period. */
export const PeriodFields = (period: PeriodText) => (
  <>
    <div class="pair">
      {NAMES.map((name) => (
        <Field
          key={name}
          label={AMOUNTS[name]}
          name={name}
          inputmode="decimal"
          value={period[name]}
          hint={HINTS[name]}
        />
      ))}
    </div>
    <Field
      label="Publication of the target"
      name="targetSourceUrl"
      type="url"
      value={period.targetSourceUrl}
      hint="The link to the notification that sets it"
    />
  </>
);

/** The period in a form. */
export const readPeriod = (values: FormData): PeriodText => ({
  targetGei: textOf(values, "targetGei").trim(),
  targetSourceUrl: textOf(values, "targetSourceUrl").trim(),
  achievedGei: textOf(values, "achievedGei").trim(),
  output: textOf(values, "output").trim(),
  averagePrice: textOf(values, "averagePrice").trim(),
});

/** What a period says, by the labels of the fields. */
export const describePeriod = (period: PeriodText) => ({
  ...Object.fromEntries(NAMES.map((name) => [AMOUNTS[name], period[name] || null])),
  "Publication of the target": period.targetSourceUrl,
});

/** What is wrong with the period in a form, as far as a browser can tell. */
export function checkPeriod(values: FormData): readonly Problem[] {
  const period = readPeriod(values);
  const isRead = (name: keyof typeof AMOUNTS) =>
    isDecimal(period[name]) || (name === "averagePrice" && period[name] === "");
  const amounts = NAMES.filter((name) => !isRead(name)).map((path) => ({
    path,
    message: `Expected a number such as 13.226, got ${period[path] || "nothing"}.`,
  }));
  if (period.targetSourceUrl) return amounts;
  return [...amounts, { path: "targetSourceUrl", message: "Give the link." }];
}
