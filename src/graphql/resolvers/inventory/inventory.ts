import { requireAccess } from "../../../access/context.js";
import { findLatestIssue } from "../../../data/inventory/issues.js";
import { readInventory } from "../../../data/inventory/read-inventory.js";
import type { Inventory } from "../../../domain/inventory/inventory.js";
import { INVENTORY_YEARS } from "../../../domain/inventory/policies.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireMonth, requireWithin } from "../../paging/arguments.js";
import { floatOf } from "../floats.js";
import { objectId } from "../object-id.js";

export type InventoryModel = Inventory;
export type InventoryAmountModel = Inventory["total"];
export type InventoryScopeModel = Inventory["scopes"][number];
export type InventoryLineAmountModel = Inventory["lines"][number];
export type InventoryMethodAmountModel = InventoryLineAmountModel["methods"][number];
export type UnmappedStreamModel = Inventory["unmapped"][number];
export type InventoryScope2Model = Inventory["scope2"];
export type InventoryInstrumentAmountModel = InventoryScope2Model["instruments"][number];
export type InventoryEnergyAmountModel = NonNullable<InventoryScope2Model["residualMix"]>;
export type InventoryFacilityEnergyModel = InventoryScope2Model["facilities"][number];
export type InventoryUncertaintyModel = NonNullable<Inventory["uncertainty"]>;

const tonnes = { co2eTonnes: floatOf("co2eTonnes") };
const byMarket = { ...tonnes, marketBasedCo2eTonnes: floatOf("marketBasedCo2eTonnes") };

/** The computed inventory of a year. */
export const inventory = {
  Query: {
    inventory(_parent, { year, holdingsAsOf }, context) {
      requireWithin("year", year, INVENTORY_YEARS.first, INVENTORY_YEARS.last);
      const { loaders, tenant } = requireAccess(context);
      const month = holdingsAsOf == null ? null : `${requireMonth("holdingsAsOf", holdingsAsOf)}-01`;
      return loaders.shared(["inventory", year, month], () =>
        readInventory(tenant, { year, holdingsAsOf: month }),
      );
    },
  },
  Inventory: {
    id: ({ year, holdingsAsOf }, _args, context) => objectId(context, "Inventory", year, holdingsAsOf),
    holdingsAsOf: ({ holdingsAsOf }) => holdingsAsOf?.slice(0, 7) ?? null,
    ledgerCo2eTonnes: floatOf("ledgerCo2eTonnes"),
    latestIssue: ({ year }, _args, context) => findLatestIssue(requireAccess(context).tenant, year),
  },
  InventoryAmount: byMarket,
  InventoryScope: { ...byMarket, biogenicCo2Tonnes: floatOf("biogenicCo2Tonnes") },
  InventoryLineAmount: tonnes,
  InventoryMethodAmount: tonnes,
  UnmappedStream: tonnes,
  InventoryScope2: {
    consumptionKwh: floatOf("consumptionKwh"),
    coveredKwh: floatOf("coveredKwh"),
    unusedMwh: floatOf("unusedMwh"),
  },
  InventoryInstrumentAmount: { ...tonnes, mwh: floatOf("mwh") },
  InventoryEnergyAmount: { ...tonnes, kwh: floatOf("kwh") },
  InventoryFacilityEnergy: { ...byMarket, consumptionKwh: floatOf("consumptionKwh") },
  InventoryUncertainty: tonnes,
} satisfies Resolvers;
