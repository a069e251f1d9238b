import { ASSURANCE, writeConclusion } from "../../../domain/verification/conclusion.js";
import type { AssuranceLevel, FindingSeverity, Opinion } from "../../../generated/console.js";
import type { Days } from "../../parts/days.js";
import { writeDay } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import type { Request } from "./read-requests.js";

/** Labels of the levels of assurance. */
export const LEVELS: Readonly<Record<AssuranceLevel, string>> = {
  LIMITED: ASSURANCE.limited,
  REASONABLE: ASSURANCE.reasonable,
};

/** Labels of the opinions. */
export const OPINIONS: Readonly<Record<Opinion, string>> = {
  UNMODIFIED: "Unmodified: fairly stated",
  MODIFIED: "Modified: fairly stated, with exceptions named in the statement",
  ADVERSE: "Adverse: not fairly stated",
  DISCLAIMED: "Disclaimed: too little evidence to conclude",
};

/** Writes the conclusion of a request as a sentence. */
export const conclusionOf = (level: AssuranceLevel, opinion: Opinion): string =>
  writeConclusion(
    level.toLowerCase() as Lowercase<AssuranceLevel>,
    opinion.toLowerCase() as Lowercase<Opinion>,
  );

/** Labels of the severities of findings. */
export const SEVERITIES: Readonly<Record<FindingSeverity, string>> = {
  LOW: "Low: for information",
  MEDIUM: "Medium: needs correction",
  HIGH: "High: needs correction before a decision",
};

/** Writes a range of dates: "1 Jan 2025 to 31 Dec 2025". */
export const daysOf = ({ from, to }: Days): string => `${writeDay(from)} to ${writeDay(to)}`;

/** Writes scopes: "Scope 1, Scope 2". */
export const scopesOf = (scopes: readonly string[]): string => scopes.map(nameOf).join(", ");

/** Returns the name of a verifier and their organization. */
export const nameVerifier = ({ name, organization }: Request["verifier"]): string =>
  [name, organization].filter(Boolean).join(", ");
