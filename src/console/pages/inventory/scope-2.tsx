import { Details } from "../../parts/details.js";
import { Exact, shorten, Tonnes } from "../../parts/numbers.js";
import { type Column, Table } from "../../parts/table.js";
import { KINDS } from "./names.js";
import type { Inventory } from "./read-inventory.js";

type Electricity = Inventory["scope2"];
type FacilityEnergy = Electricity["facilities"][number];

/** Maximum number of facilities in the table. The gateway returns up to 5,000. */
const MAX_FACILITIES = 100;

/** Purchased electricity: its coverage in total, and its emissions by location and by market for each facility. */
export function Scope2({ scope2 }: { scope2: Electricity }) {
  const { consumptionKwh, coveredKwh, unusedMwh, instruments, residualMix, byLocation, facilities } = scope2;
  if (facilities.length === 0) return null;
  const amount = (part: Electricity["residualMix"]) =>
    part && `${shorten(part.kwh)} kWh, ${shorten(part.co2eTonnes)} tCO₂e`;
  return (
    <section>
      <h2>Purchased electricity</h2>
      <Details
        items={{
          Consumption: <Exact value={consumptionKwh} unit="kWh" />,
          "Covered by instruments": <Exact value={coveredKwh} unit="kWh" />,
          ...Object.fromEntries(
            instruments.map(({ kind, mwh, co2eTonnes }) => [
              KINDS[kind],
              `${shorten(mwh)} MWh, ${shorten(co2eTonnes)} tCO₂e`,
            ]),
          ),
          "Residual mix": amount(residualMix),
          "Location-based factors": amount(byLocation),
          ...(unusedMwh > 0 && { "Claimed in excess": <Exact value={unusedMwh} unit="MWh" /> }),
        }}
      />
      <Table caption="Purchased electricity" rows={facilities.slice(0, MAX_FACILITIES)} columns={COLUMNS} />
      {facilities.length > MAX_FACILITIES && (
        <p class="quiet">
          Showing the first {MAX_FACILITIES} of {shorten(facilities.length)} facilities, by code.
        </p>
      )}
    </section>
  );
}

const COLUMNS: readonly Column<FacilityEnergy>[] = [
  { title: "Facility", wraps: true, cell: ({ facility }) => facility ?? "No facility" },
  { title: "Market", cell: ({ market }) => market ?? "–" },
  { title: "kWh", isNumber: true, cell: ({ consumptionKwh }) => <Exact value={consumptionKwh} /> },
  { title: "Location-based, tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} /> },
  {
    title: "Market-based, tCO₂e",
    isNumber: true,
    cell: ({ marketBasedCo2eTonnes }) => <Tonnes value={marketBasedCo2eTonnes} />,
  },
];
