import type { ActivityInput, EmissionScope, GwpSet } from "../../../../generated/console.js";
import { type Problem, reassignProblems } from "../../../gateway/failure.js";
import { need, optionalOf, optionalsOf, textOf, textsOf } from "../../../parts/forms/values.js";

import { TEXT_NAMES } from "../read-records.js";

/** Ways to enter the amount of a record. */
export type AmountKind = "activity" | "gas" | "tonnes";

/** The fields of a calculated amount. */
interface ActivityFields {
  readonly kind: AmountKind;
  readonly amount: string;
  readonly unit: string;
  readonly factorId: string;
  readonly gas: string;
  readonly gwp: GwpSet;
  readonly isFossil: boolean;
}

/** Returns true for methane, the only gas whose global warming potential depends on its origin. */
export const isMethane = (gas: string): boolean => /^ch4$/i.test(gas.trim());

/** Returns the activity that the fields describe; null if it is incomplete, or if the amount is in tonnes. */
export function readActivity(fields: ActivityFields): ActivityInput | null {
  const { kind, amount, unit, factorId, gas, gwp, isFossil } = fields;
  const by = kind === "activity" ? factorId : kind === "gas" ? gas : "";
  if (!by || !unit || !amount) return null;
  if (kind === "activity") return { amount, unit, factorId };
  return { amount, unit, gas, gwp, fossil: isMethane(gas) ? isFossil : null };
}

const fieldsOf = (values: FormData): ActivityFields => ({
  kind: textOf(values, "kind") as AmountKind,
  ...textsOf(values, "amount", "unit", "factorId", "gas"),
  gwp: (textOf(values, "gwp") || "AR6") as GwpSet,
  isFossil: values.has("fossil"),
});

/** Reads a record from a form; empty optional fields are null. */
export function readRecordForm(values: FormData) {
  return {
    recordedOn: textOf(values, "recordedOn"),
    scope: textOf(values, "scope") as EmissionScope,
    facility: optionalOf(values, "facilityCode"),
    ...optionalsOf(values, "category", ...TEXT_NAMES, "marketBasedTonnes", "biogenicCo2Tonnes", "co2eTonnes"),
    // Without this field, the gateway derives the energy or keeps the record's value.
    ...(values.has("energyKwh") && optionalsOf(values, "energyKwh")),
    activity: readActivity(fieldsOf(values)),
  };
}

/** Returns the problems that the browser can find in a record. */
export function checkRecordForm(values: FormData): readonly Problem[] {
  const { kind, unit, factorId, gas } = fieldsOf(values);
  return [
    ...need("recordedOn", textOf(values, "recordedOn") !== "", "Choose a date."),
    ...(kind === "activity" ? need("factor", factorId !== "", "Choose a factor from the list.") : []),
    ...(kind === "gas" ? need("gas", gas !== "", "Enter a gas, e.g. CH4 or R-410A.") : []),
    ...(kind === "tonnes" ? [] : need("unit", unit !== "", "Enter a unit, e.g. kWh or litre.")),
    // The factor fills in the scope, so only the missing factor is a problem.
    ...(kind === "activity" && factorId === ""
      ? []
      : need("scope", textOf(values, "scope") !== "", "Choose a scope.")),
  ];
}

/**
 * Assigns the problems of a failure to form fields: `input[0].category` to `category`. A problem of the activity goes
 * to the field that starts its message, e.g. `unit: expected …`.
 */
export const placeRecordFailure = (failure: unknown): unknown =>
  reassignProblems(failure, ({ path, message }) => ({
    path: placeOf(path.replace(/^input\[0\]\./, ""), message),
    message: message.replace(/^input\[0\]\./, ""),
  }));

const placeOf = (path: string, message: string) => (path === "activity" ? fieldOf(message) : path);

/** Returns the field that starts a message about an activity, or else the factor field. */
export const fieldOf = (message: string): string =>
  /^(amount|unit|gas|gwp|fossil):/.exec(message)?.[1] ?? "factor";
