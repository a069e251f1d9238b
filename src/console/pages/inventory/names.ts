import { LINES_OF_SCOPE } from "../../../domain/inventory/lines.js";
import type {
  ConsoleEnergyInstrumentsQuery,
  ConsoleReductionTargetsQuery,
  ConsolidationApproach,
  EmissionScope,
  EnergyInstrumentKind,
  InventoryLine,
  LineJudgement,
  RestatementReason,
  StreamMethod,
} from "../../../generated/console.js";
import type { Problem } from "../../gateway/failure.js";
import { need, optionalOf, textOf } from "../../parts/forms/values.js";
import { nameOf } from "../../parts/names.js";

/** Returns the lines of a scope. */
export const linesOf = (scope: EmissionScope): readonly InventoryLine[] =>
  LINES_OF_SCOPE[scope.toLowerCase() as Lowercase<EmissionScope>].map(
    (line) => line.toUpperCase() as InventoryLine,
  );

const CATEGORIES = linesOf("SCOPE_3");

/** Returns the name of a line. Scope 3 lines have their category number: "3.6 Business travel". */
export function lineName(line: InventoryLine): string {
  const category = CATEGORIES.indexOf(line) + 1;
  return category === 0 ? nameOf(line) : `3.${category} ${nameOf(line)}`;
}

/** Labels of the consolidation approaches. */
export const APPROACHES: Readonly<Record<ConsolidationApproach, string>> = {
  OPERATIONAL_CONTROL: "Operational control: everything you operate",
  FINANCIAL_CONTROL: "Financial control: everything you control, joint ventures by share",
  EQUITY_SHARE: "Equity share: each company by your share",
};

/** Labels of the states that a user can give to a line without records. */
export const JUDGEMENTS: Readonly<Record<LineJudgement, string>> = {
  NOT_RELEVANT: "Not relevant: you have no such emissions",
  NOT_ESTIMATED: "Not estimated: you have such emissions, but no figure",
};

/** Methods of a stream. */
export const METHODS: readonly StreamMethod[] = [
  "MEASURED",
  "ACTIVITY_BASED",
  "SUPPLIER_SPECIFIC",
  "SPEND_BASED",
  "ESTIMATED",
];

/** Labels of the kinds of energy instruments. */
export const KINDS: Readonly<Record<EnergyInstrumentKind, string>> = {
  CERTIFICATE: "Certificate",
  CONTRACT: "Contract",
  SUPPLIER_RATE: "Supplier rate",
};

/** Labels of the reasons for a restatement. */
export const REASONS: Readonly<Record<RestatementReason, string>> = {
  ACQUISITION: "Acquisition of a company",
  DIVESTMENT: "Sale of a company",
  OUTSOURCING: "Outsourcing",
  INSOURCING: "Insourcing",
  METHOD: "Changed method",
  FACTOR: "Corrected emission factor",
  ERROR: "Wrong or missing record",
  BOUNDARY: "Changed boundary",
};

/** Returns the year in a form field; null if the field is empty. */
export const yearIn = (values: FormData, name: string): number | null =>
  textOf(values, name).trim() ? Number(textOf(values, name)) : null;

/** Checks that each field has a year of four digits or is empty. */
export const needYears = (values: FormData, ...names: string[]): readonly Problem[] =>
  names.flatMap((name) =>
    need(name, /^(\d{4})?$/.test(textOf(values, name).trim()), "Enter a year, e.g. 2025."),
  );

/** Options of a question that may be left unanswered. */
export const YES_OR_NO = { true: "Yes", false: "No" } as const;

/** Returns the answer in a field with the options of `YES_OR_NO`; null if it was left unanswered. */
export const answerIn = (values: FormData, name: string): boolean | null => {
  const answer = optionalOf(values, name);
  return answer === null ? null : answer === "true";
};

/** A certificate, a contract or a supplier rate. */
export type Instrument = NonNullable<ConsoleEnergyInstrumentsQuery["energyInstruments"]>["nodes"][number];

/** A target with its path. */
export type Target = NonNullable<ConsoleReductionTargetsQuery["reductionTargets"]>[number];
