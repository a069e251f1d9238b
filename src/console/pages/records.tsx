import { useRoute } from "preact-iso";
import { AreaLinks } from "../parts/shell/areas.js";
import { Page } from "../parts/shell/shell.js";
import { AllRecords } from "./records/all-records.js";
import { Facilities } from "./records/facilities.js";
import { Findings } from "./records/findings.js";
import { Imports } from "./records/imports.js";

const AREAS = [
  { path: "", name: "All records", title: "Records", Area: AllRecords },
  { path: "findings", name: "Findings", title: "Findings", Area: Findings },
  { path: "facilities", name: "Facilities", title: "Facilities", Area: Facilities },
  { path: "imports", name: "Imports", title: "Imports", Area: Imports },
] as const;

/** The emission records, and what they belong to. */
export function Records() {
  const { params } = useRoute();
  const { path: chosen, title, Area } = AREAS.find(({ path }) => path === params["area"]) ?? AREAS[0];
  return (
    <>
      <AreaLinks label="Records" base="/console/records" areas={AREAS} chosen={chosen} />
      <Page title={title}>
        <Area />
      </Page>
    </>
  );
}
