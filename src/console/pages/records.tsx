import { type Area, Areas } from "../parts/shell/areas.js";
import { AllRecords } from "./records/all-records.js";
import { RecordAnomalies } from "./records/anomalies.js";
import { Facilities } from "./records/facilities.js";
import { Imports } from "./records/imports.js";
import { Mappings } from "./records/mappings.js";

const AREAS: readonly Area[] = [
  { path: "", name: "All records", title: "Records", Area: AllRecords },
  // Links of notifications have this path.
  { path: "findings", name: "Anomalies", Area: RecordAnomalies },
  { path: "facilities", name: "Facilities", Area: Facilities },
  { path: "imports", name: "Imports", Area: Imports },
  { path: "mappings", name: "Mappings", Area: Mappings },
];

/** The emission records, with the pages around them. */
export const Records = () => <Areas label="Records" areas={AREAS} />;
