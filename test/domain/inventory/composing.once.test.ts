import { array, assert, constantFrom, integer, nat, option, property, record } from "fast-check";
import { describe, expect, it } from "vitest";
import { addDecimals } from "../../../src/domain/decimals.js";
import { EMISSION_SCOPES } from "../../../src/domain/enums.js";
import { writeUnits } from "../../../src/domain/fractions.js";
import { composeInventory, type StreamSum } from "../../../src/domain/inventory/compose-inventory.js";
import type { InventoryPolicy } from "../../../src/domain/inventory/inventory.js";
import { LINES_OF_SCOPE } from "../../../src/domain/inventory/lines.js";
import { computeMarket } from "../../../src/domain/inventory/scope-2.js";
import { runAtOnce } from "../../../src/turns.js";

const POLICY: InventoryPolicy = {
  fromYear: 2025,
  approach: "operational_control",
  scopes: EMISSION_SCOPES,
  yearStartsIn: 1,
  baseYear: null,
  baseYearReason: null,
  recalculationThresholdPercentExact: null,
  recalculationPolicy: null,
  chosenAt: new Date(0),
};

const tonnes = nat().map((millionths) => writeUnits(BigInt(millionths), 6));

/** Sums of streams with shares of 1, about half of them without a line. */
const sums = array(
  record({
    scope: constantFrom(...EMISSION_SCOPES),
    line: option(nat({ max: 14 })),
    tonnes,
    recordCount: integer({ min: 1, max: 9 }),
  }).map(
    ({ scope, line, tonnes, recordCount }): StreamSum => ({
      scope,
      line: (line === null ? null : LINES_OF_SCOPE[scope][line]) ?? null,
      method: null,
      tonnes,
      ledgerTonnes: tonnes,
      biogenicTonnes: "0",
      recordCount,
      coveredTonnes: "0",
      squares: "0",
    }),
  ),
);

describe("an inventory", () => {
  it("loses no tonne: scopes add up to the location-based and market-based totals, and the total to the records", () => {
    assert(
      property(
        sums,
        array(record({ tonnes, kwh: nat(), claimed: option(nat({ max: 3_000_000 })) })),
        (sums, facilities) => {
          const computed = facilities.map(({ tonnes, kwh, claimed }) => {
            const electricity = {
              facilityId: "f",
              code: "F",
              market: "GB",
              tonnes,
              kwh: String(kwh),
              recordCount: 1,
              kwhRecordCount: 1,
            };
            const claims = claimed
              ? [{ kind: "certificate" as const, mwh: writeUnits(BigInt(claimed), 3), rate: "0" }]
              : [];
            return { electricity, market: computeMarket(electricity, claims, null) };
          });
          const electricity = {
            tonnes: addDecimals(facilities.map((facility) => facility.tonnes)),
            kwh: addDecimals(facilities.map(({ kwh }) => String(kwh))),
            facilityCount: facilities.length,
          };
          const ofElectricity = { scope: "scope_2", line: "purchased_electricity", method: null } as const;
          const rest = {
            biogenicTonnes: "0",
            coveredTonnes: "0",
            squares: "0",
            recordCount: facilities.length,
          };
          const { total, scopes, ledgerCo2eTonnesExact, lines, scope2 } = runAtOnce(
            composeInventory({
              year: 2025,
              policy: POLICY,
              holdingsAsOf: null,
              sums: [
                ...sums,
                { ...ofElectricity, ...rest, tonnes: electricity.tonnes, ledgerTonnes: electricity.tonnes },
              ],
              unmapped: [],
              judgements: new Map(),
              electricity,
              facilities: computed,
              typedRecordCount: 0,
            }),
          );
          expect(addDecimals(scopes.map(({ co2eTonnesExact }) => co2eTonnesExact))).toBe(
            total.co2eTonnesExact,
          );
          expect(ledgerCo2eTonnesExact).toBe(total.co2eTonnesExact);
          const byMarket = scopes.map((scope) => scope.marketBasedCo2eTonnesExact ?? scope.co2eTonnesExact);
          expect(addDecimals(byMarket)).toBe(total.marketBasedCo2eTonnesExact);
          const unmapped = sums.flatMap(({ line, tonnes }) => (line === null ? [tonnes] : []));
          const mapped = lines.map(({ co2eTonnesExact }) => co2eTonnesExact);
          expect(addDecimals([...mapped, ...unmapped])).toBe(total.co2eTonnesExact);
          // Every kWh is counted once.
          const counted = [scope2.coveredKwhExact, scope2.byLocation?.kwhExact ?? "0"];
          expect(addDecimals(counted)).toBe(scope2.consumptionKwhExact);
        },
      ),
    );
  });
});
