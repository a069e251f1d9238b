import { lazy } from "../parts/lazy.js";
import type { Area } from "../parts/shell/site.js";

const AllRecords = lazy(async () => (await import("./records/all-records.js")).AllRecords);
const RecordAnomalies = lazy(async () => (await import("./records/anomalies.js")).RecordAnomalies);
const Facilities = lazy(async () => (await import("./records/facilities.js")).Facilities);
const Imports = lazy(async () => (await import("./records/imports.js")).Imports);
const Mappings = lazy(async () => (await import("./records/mappings.js")).Mappings);
/** The pages about emission records. */
export const RECORDS: readonly Area[] = [
  { path: "", name: "Records", Area: AllRecords },
  // Links in notifications use this path.
  { path: "findings", name: "Unusual months", words: "anomalies outliers", Area: RecordAnomalies },
  { path: "facilities", name: "Facilities", words: "sites plants offices", Area: Facilities },
  { path: "imports", name: "Imports", words: "csv file upload", Area: Imports },
  { path: "mappings", name: "Mappings", words: "emission factors names", Area: Mappings },
];
