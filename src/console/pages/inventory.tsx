import { lazy } from "../parts/lazy.js";
import type { Area } from "../parts/shell/site.js";

const AtAGlance = lazy(async () => (await import("./inventory/at-a-glance.js")).AtAGlance);
const Streams = lazy(async () => (await import("./inventory/streams.js")).Streams);
const Entities = lazy(async () => (await import("./inventory/entities.js")).Entities);
const Electricity = lazy(async () => (await import("./inventory/electricity.js")).Electricity);
const Targets = lazy(async () => (await import("./inventory/targets.js")).Targets);
const Issues = lazy(async () => (await import("./inventory/issues.js")).Issues);
const Report = lazy(async () => (await import("./inventory/report.js")).Report);

/** The pages about the inventory of a year. */
export const INVENTORY: readonly Area[] = [
  { path: "", name: "Inventory", words: "year policy boundary completeness gaps", Area: AtAGlance },
  { path: "streams", name: "Streams", words: "categories lines method uncertainty mapping", Area: Streams },
  {
    path: "entities",
    name: "Entities",
    words: "holdings companies subsidiaries equity share",
    Area: Entities,
  },
  {
    path: "electricity",
    name: "Electricity",
    words: "certificates contracts claims market-based guarantees of origin",
    Area: Electricity,
  },
  { path: "targets", name: "Targets", words: "reduction path goals", Area: Targets },
  { path: "issues", name: "Issues", words: "issue restate base year digest", Area: Issues },
  { path: "report", name: "VSME report", words: "vsme xbrl download export", Area: Report },
];
