import type { AssuranceLevel, FindingSeverity, Opinion } from "../../../generated/console.js";
import { nameOf } from "../../parts/names.js";

/** What each level of assurance gives. */
export const LEVELS: Readonly<Record<AssuranceLevel, string>> = {
  LIMITED: "Limited: nothing came to the verifier's attention",
  REASONABLE: "Reasonable: the verifier's own opinion",
};

/** What each opinion says. */
export const OPINIONS: Readonly<Record<Opinion, string>> = {
  UNMODIFIED: "Unmodified: fairly stated",
  MODIFIED: "Modified: fairly stated, except for what the statement names",
  ADVERSE: "Adverse: not fairly stated",
  DISCLAIMED: "Disclaimed: too little evidence to conclude",
};

/** What each severity of a finding means. */
export const SEVERITIES: Readonly<Record<FindingSeverity, string>> = {
  LOW: "Low: worth knowing",
  MEDIUM: "Medium: to be corrected",
  HIGH: "High: to be corrected before a decision",
};

/** Days in words: "2025-01-01 to 2025-12-31". */
export const daysOf = ({ from, to }: { readonly from: string; readonly to: string }): string =>
  `${from} to ${to}`;

/** Scopes in words: "Scope 1, Scope 2". */
export const scopesOf = (scopes: readonly string[]): string => scopes.map(nameOf).join(", ");
