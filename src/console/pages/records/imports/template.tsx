import { Button } from "../../../parts/button.js";
import { downloadCsv } from "../../../parts/csv.js";
import type { ImportField } from "./columns.js";

const COLUMNS = [
  "recorded_on",
  "facility",
  "activity",
  "amount",
  "unit",
  "scope",
  "co2e_tonnes",
  "category",
  "reference",
] as const satisfies readonly ImportField[];

const EXAMPLES: readonly Partial<Record<ImportField, string>>[] = [
  {
    recorded_on: "2026-01-31",
    facility: "BERLIN",
    activity: "Electricity",
    amount: "12000",
    unit: "kWh",
    reference: "2026-01-power",
  },
  {
    recorded_on: "2026-01-31",
    facility: "BERLIN",
    scope: "scope_1",
    co2e_tonnes: "4.5",
    category: "Stationary combustion",
    reference: "2026-01-boiler",
  },
];

/** Returns a CSV file to fill in, with one example activity and one example in tonnes. */
const writeTemplate = (): string =>
  [COLUMNS, ...EXAMPLES.map((row) => COLUMNS.map((field) => row[field] ?? ""))]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("");

/** Button that downloads the template. */
export const TemplateButton = () => (
  <Button
    label="Download a template"
    look="secondary outline"
    onClick={() => downloadCsv("emissions-template.csv", writeTemplate())}
  />
);
