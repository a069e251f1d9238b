import { downloadCsv, writeCsv } from "../../../parts/csv.js";
import type { Import } from "./read-declarations.js";

/** Returns the columns of an import that `readImports` reads. */
const toCells = (
  imported: Omit<Import, "id" | "precursors" | "name" | "embeddedEmissions" | "certificates" | "costEur">,
) => ({
  quarter: imported.quarter,
  cn_code: imported.cnCode,
  country: imported.country,
  mass_t: imported.massT,
  basis: imported.basis.toLowerCase(),
  route: imported.route,
  good: imported.good,
  direct_tco2e_per_t: imported.directTco2ePerT,
  indirect_tco2e_per_t: imported.indirectTco2ePerT,
  reduction_tco2e: imported.reductionTco2e,
});

/** Returns the columns of an import with its results. `readImports` ignores those, but rejects rows with precursors. */
const withResults = (imported: Import) => ({
  ...toCells(imported),
  precursors: imported.precursors.map(({ cnCode, massT }) => `${massT} t of ${cnCode}`).join(", "),
  name: imported.name,
  embedded_emissions_tco2e: imported.embeddedEmissions,
  certificates: imported.certificates,
  cost_eur: imported.costEur,
});

type Row = ReturnType<typeof toCells> | ReturnType<typeof withResults>;

const download = (name: string, rows: readonly Row[]) =>
  downloadCsv(name, writeCsv([Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))]));

/** Saves the imports of a declaration as one CSV file. */
export const downloadImports = (year: number, imports: readonly Import[]): void =>
  download(`cbam-${year}.csv`, imports.map(withResults));

/** Saves a CSV template with one example import. */
export const downloadTemplate = (): void =>
  download("cbam-template.csv", [
    toCells({
      quarter: "Q3",
      cnCode: "72083600",
      country: "IN",
      massT: 100,
      basis: "DEFAULT",
      route: null,
      good: null,
      directTco2ePerT: null,
      indirectTco2ePerT: null,
      reductionTco2e: 0,
    }),
  ]);
