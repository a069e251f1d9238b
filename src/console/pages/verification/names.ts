import type { AssuranceLevel, FindingSeverity, Opinion } from "../../../generated/console.js";
import { nameOf } from "../../parts/names.js";

/** Descriptions of the levels of assurance. */
export const LEVELS: Readonly<Record<AssuranceLevel, string>> = {
  LIMITED: "Limited: nothing came to the verifier's attention",
  REASONABLE: "Reasonable: the verifier's own opinion",
};

/** Descriptions of the opinions. */
export const OPINIONS: Readonly<Record<Opinion, string>> = {
  UNMODIFIED: "Unmodified: fairly stated",
  MODIFIED: "Modified: fairly stated, except for what the statement names",
  ADVERSE: "Adverse: not fairly stated",
  DISCLAIMED: "Disclaimed: too little evidence to conclude",
};

/** Descriptions of the severities of a finding. */
export const SEVERITIES: Readonly<Record<FindingSeverity, string>> = {
  LOW: "Low: worth knowing",
  MEDIUM: "Medium: to be corrected",
  HIGH: "High: to be corrected before a decision",
};

/** Returns days in words: "2025-01-01 to 2025-12-31". */
export const daysOf = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  `${from} to ${to}`;

/** Returns scopes in words: "Scope 1, Scope 2". */
export const scopesOf = (scopes: readonly string[]): string => scopes.map(nameOf).join(", ");
