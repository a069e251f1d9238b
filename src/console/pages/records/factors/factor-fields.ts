import { useState } from "preact/hooks";
import { isConvertible, readUnit } from "../../../../domain/ghg/units.js";
import { capitalize } from "../../../../domain/texts/capitalize.js";
import type { EmissionScope } from "../../../../generated/console.js";
import type { EmissionRecord } from "../read-records.js";
import type { Factor } from "./factor.js";

/** The fields of a record that its factor fills in. Users may change them afterwards. */
interface FactorValues {
  readonly factor: Factor | null;
  /** Empty until the user chooses a scope or a factor. */
  readonly scope: EmissionScope | "";
  readonly unit: string;
  readonly category: string;
  /** Describes how choosing the factor changed the scope or unit; empty if it did not. */
  readonly changes: string;
}

export type FactorFields = ReturnType<typeof useFactorFields>;

/** State of a record form's factor, with the scope, unit and category that the factor fills in. */
export function useFactorFields(record: EmissionRecord | null) {
  const [values, set] = useState<FactorValues>({
    factor: record?.calculation?.factor ?? null,
    scope: record?.scope ?? "",
    unit: record?.activity?.unit ?? "",
    category: record?.category ?? "",
    changes: "",
  });
  return {
    ...values,
    choose: (factor: Factor | null) => set((before) => applyFactor(before, factor)),
    change: (parts: Partial<Pick<FactorValues, "scope" | "unit" | "category">>) =>
      set((before) => ({ ...before, ...parts, changes: "" })),
  };
}

/** Applies a factor. Keeps a convertible unit, so that the amount already typed stays correct. */
function applyFactor(before: FactorValues, factor: Factor | null): FactorValues {
  if (factor === null) return { ...before, factor, changes: "" };
  const { scope } = factor;
  const keepsUnit = before.unit !== "" && isConvertible(readUnit(before.unit), readUnit(factor.unit));
  const unit = keepsUnit ? before.unit : factor.unit;
  const isFromFactor = before.category === "" || before.category === before.factor?.category;
  const changes = [
    ...(before.scope && before.scope !== scope
      ? [`scope changes from ${digitOf(before.scope)} to ${digitOf(scope)}`]
      : []),
    ...(before.unit && before.unit !== unit ? [`unit changes from ${before.unit} to ${unit}`] : []),
  ];
  return {
    factor,
    scope,
    unit,
    category: isFromFactor ? factor.category : before.category,
    changes: sentence(changes),
  };
}

const digitOf = (scope: EmissionScope) => scope.replace("SCOPE_", "");

/** Joins changes into a sentence: "Scope changes from 1 to 2, unit from tonne to kWh". */
const sentence = ([first = "", ...others]: readonly string[]) =>
  [capitalize(first), ...others.map((text) => text.replace("changes ", ""))].join(", ");
