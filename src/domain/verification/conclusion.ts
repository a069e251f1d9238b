import type { AssuranceLevel, Opinion } from "./states.js";

/** Names of the assurance levels, with the form of their conclusions (ISAE 3410, ISO 14064-3). */
export const ASSURANCE: Readonly<Record<AssuranceLevel, string>> = {
  limited: "Limited assurance (negative conclusion)",
  reasonable: "Reasonable assurance (positive conclusion)",
};

const STATED: Readonly<Record<AssuranceLevel, string>> = {
  limited: "nothing came to the verifier's attention that suggests the total is not fairly stated",
  reasonable: "in the verifier's opinion, the total is fairly stated",
};

/** Writes the conclusion of a verification, starting with the name of its opinion. */
export function writeConclusion(level: AssuranceLevel, opinion: Opinion): string {
  switch (opinion) {
    case "unmodified":
      return `Unmodified: ${STATED[level]}.`;
    case "modified":
      return `Modified: except for the matters that the verifier named, ${STATED[level]}.`;
    case "adverse":
      return "Adverse: the total is not fairly stated.";
    case "disclaimed":
      return "Disclaimed: there was too little evidence to conclude.";
  }
}
