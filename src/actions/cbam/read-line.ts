import { CbamFault } from "../../domain/cbam/fault.js";
import { OTHER_COUNTRIES, readCnCode as readCode } from "../../domain/cbam/goods.js";
import { type CbamBasis, type CbamLine, type CbamPrecursor, MAX_PRECURSORS } from "../../domain/cbam/line.js";
import { readWithin } from "../../domain/decimals.js";
import { TEXT_LIMITS } from "../../domain/texts/text-limits.js";
import { EXPECTED_COUNTRY, readCountry } from "../../regions/countries.js";
import { InvalidInput, readInput, requireValid, type Subject } from "../action-error.js";
import { readOptionalAmount } from "../read-amount.js";
import { readOptional } from "../read-text.js";
import { applyRules } from "./apply-rules.js";

/** Imported goods as the caller sends them, with unchecked decimals. */
export interface LineInput {
  readonly cnCode: string;
  readonly country: string;
  readonly massT: string;
  /** `default` if omitted. */
  readonly basis?: CbamBasis | undefined;
  readonly route?: string | null | undefined;
  readonly good?: string | null | undefined;
  readonly directTco2ePerT?: string | null | undefined;
  readonly indirectTco2ePerT?: string | null | undefined;
  readonly precursors?: readonly PrecursorInput[] | null | undefined;
  readonly reductionTco2e?: string | null | undefined;
}

interface PrecursorInput {
  readonly cnCode: string;
  readonly massT: string;
  readonly route?: string | null | undefined;
}

const MASS = { exponent: 9, decimals: 6 };
const INTENSITY = { exponent: 3, decimals: 9 };
const REDUCTION = { exponent: 12, decimals: 6 };
export const PRICE = { exponent: 6, decimals: 6 };

function readMass(subject: Subject, field: string, given: string): string {
  const mass = readWithin(given, MASS);
  if (mass !== undefined && mass !== "0") return mass;
  const expected = `must be above 0 and at most 10^${MASS.exponent} tonnes, with at most ${MASS.decimals} decimals`;
  throw new InvalidInput(subject, field, `${expected} (got ${given})`);
}

function readCnCode(subject: Subject, field: string, given: string): string {
  const code = readCode(given);
  if (code !== undefined) return code;
  throw new InvalidInput(subject, field, `must be a CN code of 4 to 8 digits (got ${given})`);
}

function readOrigin(subject: Subject, field: string, given: string): string {
  const country = given === OTHER_COUNTRIES ? given : readCountry(given);
  if (country !== undefined) return country;
  const expected = `must be ${EXPECTED_COUNTRY}, or ${OTHER_COUNTRIES} for any other country`;
  throw new InvalidInput(subject, field, `${expected} (got ${given})`);
}

function requireBasis(
  subject: Subject,
  path: string,
  { basis = "default", directTco2ePerT, indirectTco2ePerT, precursors }: LineInput,
): void {
  if (basis === "actual" && directTco2ePerT == null) {
    throw new InvalidInput(subject, `${path}directTco2ePerT`, "is required for actual emissions");
  }
  const wrong = Object.entries({ directTco2ePerT, indirectTco2ePerT, precursors }).find(
    ([, given]) => basis === "default" && given != null && given.length > 0,
  );
  if (wrong) throw new InvalidInput(subject, `${path}${wrong[0]}`, "must be omitted for default values");
}

/**
 * Reads imported goods and checks their format. `path` is empty or the prefix of the line's fields, such as
 * `lines[0].`. Throws all faults together.
 */
function readLine(subject: Subject, path: string, input: LineInput): CbamLine {
  const { basis = "default" } = input;
  const at = (field: string) => `${path}${field}`;
  const [cnCode, country, massT, directTco2ePerT, indirectTco2ePerT, reduction, precursors, route, good] =
    requireValid(
      () => readCnCode(subject, at("cnCode"), input.cnCode),
      () => readOrigin(subject, at("country"), input.country),
      () => readMass(subject, at("massT"), input.massT),
      () => readOptionalAmount(subject, at("directTco2ePerT"), input.directTco2ePerT, INTENSITY),
      () => readOptionalAmount(subject, at("indirectTco2ePerT"), input.indirectTco2ePerT, INTENSITY),
      () => readOptionalAmount(subject, at("reductionTco2e"), input.reductionTco2e, REDUCTION),
      () => readPrecursors(subject, at("precursors"), input.precursors ?? []),
      () => readOptional(subject, at("route"), input.route, TEXT_LIMITS.name),
      () => readOptional(subject, at("good"), input.good, TEXT_LIMITS.name),
      () => requireBasis(subject, path, input),
    );
  return {
    cnCode,
    country,
    massT,
    basis,
    route,
    good,
    directTco2ePerT,
    indirectTco2ePerT,
    precursors,
    reductionTco2e: reduction ?? "0",
  };
}

/** Fields whose faults do not affect the rules for other fields. */
const AMOUNTS = ["massT", "reductionTco2e"];

/**
 * Reads imported goods and applies rules to them. Throws format faults together with the faults that the rules find in
 * the well-formed fields.
 */
export function readAndApply<Result>(
  subject: Subject,
  path: string,
  input: LineInput,
  apply: (line: CbamLine) => Result,
): { readonly line: CbamLine; readonly result: Result } {
  const reader = readInput();
  const line = reader.read(() => readLine(subject, path, input));
  if (line) return { line, result: applyRules(subject, path, () => apply(line)) };
  const wrong = reader.details().map((problem) => problem.path.slice(path.length));
  const isAmount = wrong.every((field) => AMOUNTS.includes(field));
  if (wrong.includes("cnCode")) reader.finish();
  reader.read(() => {
    try {
      apply(standIn(input));
    } catch (error) {
      if (!(error instanceof CbamFault)) throw error;
      const isKnown = error.field === "cnCode" || (isAmount && (input.basis ?? "default") === "default");
      if (isKnown) applyRules(subject, path, () => raise(error));
    }
  });
  reader.finish();
  throw new Error("a line was refused without a fault");
}

const raise = (error: unknown): never => {
  throw error;
};

/** Returns a line with the fields that decide which rules apply, and with valid placeholders for the amounts. */
const standIn = ({ cnCode, country, route, good }: LineInput): CbamLine => ({
  cnCode: readCode(cnCode) ?? cnCode,
  country: readCountry(country) ?? OTHER_COUNTRIES,
  massT: "1",
  basis: "default",
  route: route ?? null,
  good: good ?? null,
  directTco2ePerT: null,
  indirectTco2ePerT: null,
  precursors: [],
  reductionTco2e: "0",
});

function readPrecursors(
  subject: Subject,
  field: string,
  given: readonly PrecursorInput[],
): readonly CbamPrecursor[] {
  if (given.length > MAX_PRECURSORS) {
    throw new InvalidInput(
      subject,
      field,
      `must have at most ${MAX_PRECURSORS} entries (got ${given.length})`,
    );
  }
  return requireValid(
    ...given.map(({ cnCode, massT, route = null }, index) => () => {
      const at = `${field}[${index}].`;
      const [code, mass] = requireValid(
        () => readCnCode(subject, `${at}cnCode`, cnCode),
        () => readMass(subject, `${at}massT`, massT),
      );
      return { cnCode: code, massT: mass, route };
    }),
  );
}
