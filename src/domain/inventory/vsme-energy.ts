import { addDecimals, multiplyDecimals, subtractDecimals } from "../decimals.js";
import type { Inventory } from "./inventory.js";
import type { InventoryLine } from "./lines.js";
import type { Datapoint, ValueOrReason } from "./vsme-facts.js";

/** Energy of a line's records after shares, by whether their streams are renewable. */
export interface InventoryEnergy {
  readonly line: InventoryLine;
  /** Null if the streams do not state whether they are renewable. */
  readonly renewable: boolean | null;
  readonly kwhExact: string;
  readonly recordsWithoutKwh: number;
}

/** Inputs of a report's energy. */
export interface EnergyParts {
  readonly inventory: Pick<Inventory, "lines" | "unmapped" | "period" | "renewableKwhExact">;
  readonly energy: readonly InventoryEnergy[];
}

const FUELS = ["stationary_combustion", "mobile_combustion"] as const;
const ELECTRICITY = ["purchased_electricity"] as const;
/** Lines whose records are energy. */
export const ENERGY_LINES: readonly InventoryLine[] = [...FUELS, ...ELECTRICITY, "purchased_heat"];

const AXIS = "vsme:BreakdownOfEnergyConsumptionAxis";

/** Returns the datapoints of paragraph 29 in MWh. Only the total includes heat. */
export function listEnergy({ inventory, energy }: EnergyParts): Datapoint[] {
  const unknown = findUnknown(inventory, energy);
  const sumOf = (
    lines: readonly InventoryLine[],
    matches: (row: InventoryEnergy) => boolean = () => true,
  ): ValueOrReason => {
    if (unknown !== undefined) return { reason: unknown };
    const isStated = inventory.lines.some(
      ({ line, state }) => lines.includes(line) && (state === "included" || state === "not_relevant"),
    );
    if (!isStated) return { reason: `No records of ${wordsOf(lines)} are within the boundary.` };
    const rows = energy.filter((row) => lines.includes(row.line) && matches(row));
    return inMwh(addDecimals(rows.map(({ kwhExact }) => kwhExact)));
  };
  const isUnstated = energy.some(
    ({ line, renewable, kwhExact }) => isFuel(line) && renewable === null && kwhExact !== "0",
  );
  const fuels = (renewable: boolean): ValueOrReason =>
    isUnstated && unknown === undefined
      ? { reason: "Some fuel streams do not state whether they are renewable." }
      : sumOf(FUELS, (row) => row.renewable === renewable);
  const electricity = sumOf(ELECTRICITY);
  const covered = inMwh(inventory.renewableKwhExact);
  const none: ValueOrReason = {
    reason: "The gateway does not record self-generated electricity.",
  };
  const facts: readonly (readonly [
    concept: string,
    all: ValueOrReason,
    renewable: ValueOrReason,
    other: ValueOrReason,
  ])[] = [
    [
      "EnergyConsumptionFromElectricity",
      electricity,
      "reason" in electricity ? electricity : covered,
      "reason" in electricity ? electricity : { value: subtractDecimals(electricity.value, covered.value) },
    ],
    ["EnergyConsumptionFromSelfGeneratedElectricity", none, none, none],
    ["EnergyConsumptionFromFuels", sumOf(FUELS), fuels(true), fuels(false)],
  ];
  const datapoint = (
    concept: string,
    dimensions: Datapoint["dimensions"],
    amount: ValueOrReason,
  ): Datapoint => ({
    concept: `vsme:${concept}`,
    unit: "utr:MWh",
    period: inventory.period,
    dimensions,
    paragraph: "29",
    ...amount,
  });
  return [
    datapoint("TotalEnergyConsumption", {}, sumOf(ENERGY_LINES)),
    ...facts.flatMap(([concept, all, renewable, other]) => [
      datapoint(concept, {}, all),
      datapoint(concept, { [AXIS]: "vsme:RenewableEnergyMember" }, renewable),
      datapoint(concept, { [AXIS]: "vsme:NonRenewableEnergyMember" }, other),
    ]),
  ];
}

const isFuel = (line: InventoryLine) => FUELS.some((fuel) => fuel === line);

const inMwh = (kwh: string) => ({ value: multiplyDecimals([kwh, "0.001"]) });

const wordsOf = (lines: readonly InventoryLine[]) => lines.join(", ").replaceAll("_", " ");

/**
 * Returns the reason why the energy is unknown; undefined if all records of scopes 1 and 2 have a line, and those of
 * combustion and scope 2 have kWh.
 */
function findUnknown(
  { unmapped }: Pick<Inventory, "unmapped">,
  energy: readonly InventoryEnergy[],
): string | undefined {
  if (unmapped.some(({ scope }) => scope !== "scope_3")) {
    return "Some records of scopes 1 and 2 belong to no line, so it is unknown whether they are energy.";
  }
  const missing = energy.filter(
    ({ line, recordsWithoutKwh }) => ENERGY_LINES.includes(line) && recordsWithoutKwh > 0,
  );
  if (missing.length === 0) return undefined;
  const count = missing.reduce((sum, { recordsWithoutKwh }) => sum + recordsWithoutKwh, 0);
  const lines = ENERGY_LINES.filter((line) => missing.some((row) => row.line === line));
  return `${count === 1 ? "1 record has" : `${count} records have`} no kWh: ${wordsOf(lines)}.`;
}
