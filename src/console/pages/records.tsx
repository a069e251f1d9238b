import { type Area, Areas } from "../parts/shell/areas.js";
import { AllRecords } from "./records/all-records.js";
import { Facilities } from "./records/facilities.js";
import { Findings } from "./records/findings.js";
import { Imports } from "./records/imports.js";

const AREAS: readonly Area[] = [
  { path: "", name: "All records", title: "Records", Area: AllRecords },
  { path: "findings", name: "Findings", Area: Findings },
  { path: "facilities", name: "Facilities", Area: Facilities },
  { path: "imports", name: "Imports", Area: Imports },
];

/** The emission records, and what they belong to. */
export const Records = () => <Areas label="Records" areas={AREAS} />;
