import type { Area } from "../parts/shell/site.js";
import { AllRecords } from "./records/all-records.js";
import { RecordAnomalies } from "./records/anomalies.js";
import { Facilities } from "./records/facilities.js";
import { Imports } from "./records/imports.js";
import { Mappings } from "./records/mappings.js";

/** The emission records, with the pages around them. */
export const RECORDS: readonly Area[] = [
  { path: "", name: "Records", Area: AllRecords },
  // Links of notifications have this path.
  { path: "findings", name: "Unusual months", words: "anomalies outliers", Area: RecordAnomalies },
  { path: "facilities", name: "Facilities", words: "sites plants offices", Area: Facilities },
  { path: "imports", name: "Imports", words: "csv file upload", Area: Imports },
  { path: "mappings", name: "Mappings", words: "emission factors names", Area: Mappings },
];
