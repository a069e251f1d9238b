import type { ActivityInput, EmissionScope, GwpSet } from "../../../../generated/console.js";
import { moveProblems, type Problem } from "../../../gateway/failure.js";
import { need, optionalOf, optionalsOf, textOf, textsOf } from "../../../parts/forms/values.js";

import { TEXT_NAMES } from "../read-records.js";

/** The ways to enter the amount of a record. */
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

/** Returns the activity that the fields describe; null if it is incomplete, or if the amount is in tonnes. */
export function readActivity(fields: ActivityFields): ActivityInput | null {
  const { kind, amount, unit, factorId, gas, gwp, isFossil } = fields;
  const by = kind === "activity" ? factorId : kind === "gas" ? gas : "";
  if (!by || !unit || !amount) return null;
  if (kind === "activity") return { amount, unit, factorId };
  return { amount, unit, gas, gwp, fossil: /^ch4$/i.test(gas) ? isFossil : null };
}

const fieldsOf = (values: FormData): ActivityFields => ({
  kind: textOf(values, "kind") as AmountKind,
  ...textsOf(values, "amount", "unit", "factorId", "gas"),
  gwp: (textOf(values, "gwp") || "AR6") as GwpSet,
  isFossil: values.has("fossil"),
});

/** Reads the parts of a record in a form; an empty part is null. */
export function readRecordForm(values: FormData) {
  return {
    recordedOn: textOf(values, "recordedOn"),
    scope: textOf(values, "scope") as EmissionScope,
    facility: optionalOf(values, "facilityCode"),
    ...optionalsOf(values, "category", ...TEXT_NAMES, "marketBasedTonnes", "biogenicCo2Tonnes", "co2eTonnes"),
    // Otherwise the gateway derives it, or keeps what the record has.
    ...(values.has("energyKwh") && optionalsOf(values, "energyKwh")),
    activity: readActivity(fieldsOf(values)),
  };
}

/** Checks a record in a form, as far as a browser can. */
export function checkRecordForm(values: FormData): readonly Problem[] {
  const { kind, unit, factorId, gas } = fieldsOf(values);
  return [
    ...need("recordedOn", textOf(values, "recordedOn") !== "", "Expected a day."),
    ...(kind === "activity" ? need("factor", factorId !== "", "Choose a factor from the list.") : []),
    ...(kind === "gas" ? need("gas", gas !== "", "Expected a gas such as CH4 or R-410A.") : []),
    ...(kind === "tonnes" ? [] : need("unit", unit !== "", "Expected a unit such as kWh or litre.")),
    // The factor sets the scope.
    ...(kind === "activity" && factorId === ""
      ? []
      : need("scope", textOf(values, "scope") !== "", "Choose a scope.")),
  ];
}

/**
 * Moves the problems of a refusal to the fields of the form: `input[0].category` to `category`, and one of the activity
 * to the field that its message begins with, such as `unit: expected …`.
 */
export const placeRecordFailure = (failure: unknown): unknown =>
  moveProblems(failure, ({ path, message }) => ({
    path: placeOf(path.replace(/^input\[0\]\./, ""), message),
    message: message.replace(/^input\[0\]\./, ""),
  }));

const placeOf = (path: string, message: string) => (path === "activity" ? fieldOf(message) : path);

/** Returns the field of an activity for a message: the one that the message begins with, or the factor. */
export const fieldOf = (message: string): string =>
  /^(amount|unit|gas|gwp|fossil):/.exec(message)?.[1] ?? "factor";
