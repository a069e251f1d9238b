import { type ConsoleInventoryQuery, graphql } from "../../../generated/console.js";

/** The inventory of a year, and the policies. */
export const READ_INVENTORY = graphql(`
  query ConsoleInventory($year: Int!) {
    inventoryPolicies {
      fromYear
      approach
      scopes
      yearStartsIn
      baseYear
      baseYearReason
      recalculationThresholdPercentExact
      recalculationPolicy
    }
    inventory(year: $year) {
      year
      period { from to }
      total { co2eTonnes marketBasedCo2eTonnes }
      ledgerCo2eTonnes
      scopes {
        scope
        co2eTonnes
        marketBasedCo2eTonnes
        biogenicCo2Tonnes
        uncertainty { percent coveredPercent }
      }
      lines { line scope state reason co2eTonnes recordCount methods { method percent } }
      scope2 {
        consumptionKwh
        coveredKwh
        unusedMwh
        instruments { kind mwh co2eTonnes }
        residualMix { kwh co2eTonnes }
        byLocation { kwh co2eTonnes }
        facilities { facility market consumptionKwh co2eTonnes marketBasedCo2eTonnes }
      }
      uncertainty { co2eTonnes percent coveredPercent }
      completeness { included notRelevant notEstimated missing complete }
      gaps { code blocking line scope category facility message }
      latestIssue { issue basis issuedAt }
    }
  }
`);

/** An inventory policy. */
export type Policy = NonNullable<ConsoleInventoryQuery["inventoryPolicies"]>[number];

/** The inventory of a year. */
export type Inventory = NonNullable<ConsoleInventoryQuery["inventory"]>;

/** A line of an inventory. */
export type Line = Inventory["lines"][number];
