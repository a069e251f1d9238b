import { policyOf } from "../../../domain/inventory/policies.js";
import "../overview/overview.css";
import "./inventory.css";
import type { ComponentChildren } from "preact";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Sum, Tonnes } from "../../parts/numbers.js";
import { Empty, Loaded } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import { scopesOf } from "../verification/names.js";
import { Lines } from "./lines.js";
import { APPROACHES } from "./names.js";
import { NextSteps } from "./next-steps.js";
import { type Inventory, type Policy, READ_INVENTORY } from "./read-inventory.js";
import { Scope2 } from "./scope-2.js";
import { SetPolicy } from "./set-policy.js";
import { useYear, YearBar } from "./year.js";

/** The inventory of a year: totals, next steps and lines. */
export function AtAGlance() {
  const year = useYear();
  const answer = useQuery(READ_INVENTORY, { year });
  const maySet = useScope("request:verification");
  return (
    <Dialogs onClosed={answer.reload}>
      <Loaded answer={answer} skeleton="emissions">
        {({ inventoryPolicies, inventory }) => {
          const policies = inventoryPolicies ?? [];
          const policy = policyOf(policies, year);
          const latest = policies.at(-1);
          return (
            <>
              <YearBar year={year}>
                {maySet && (
                  <DialogButton
                    label={policy ? "Edit policy" : "Set your reporting policy"}
                    look={policy ? "outline" : "primary"}
                    opens={<SetPolicy year={policy?.fromYear ?? year} policy={policy ?? latest} />}
                  />
                )}
              </YearBar>
              {policy && <PolicyLine policy={policy} />}
              {inventory ? (
                <InventoryDetails inventory={inventory} />
              ) : (
                <NoPolicy year={year} first={policies[0]} />
              )}
            </>
          );
        }}
      </Loaded>
    </Dialogs>
  );
}

function NoPolicy({ year, first }: { year: number; first: Policy | undefined }) {
  const maySet = useScope("request:verification");
  return (
    <Empty>
      {first ? `Your first policy starts in ${first.fromYear}. ` : "No reporting policy yet. "}
      {maySet
        ? `Set one for ${year}. It defines which companies and scopes count, and when your year starts.`
        : "Ask an admin of your organization to set one."}
    </Empty>
  );
}

const PolicyLine = ({
  policy: { fromYear, approach, scopes, baseYear, baseYearReason },
}: {
  policy: Policy;
}) => (
  <p class="quiet">
    {APPROACHES[approach].replace(/:.*/, "")} · {scopesOf(scopes)} · from {fromYear}
    {baseYear !== null && ` · base year ${baseYear} (${baseYearReason})`}
  </p>
);

function InventoryDetails({ inventory }: { inventory: Inventory }) {
  const disclosed = inventory.gaps.filter(({ blocking }) => !blocking);
  return (
    <>
      <Totals inventory={inventory} />
      <NextSteps inventory={inventory} />
      <section>
        <h2>Scopes</h2>
        <Table caption="Scopes" rows={inventory.scopes} columns={SCOPE_COLUMNS} />
      </section>
      <Lines inventory={inventory} />
      <Scope2 scope2={inventory.scope2} />
      {disclosed.length > 0 && (
        <section>
          <h2>Disclosures</h2>
          <p class="quiet">These don't block an issue. The issue lists them.</p>
          <ul>
            {disclosed.map(({ code, message }) => (
              <li key={`${code} ${message}`}>{message}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Totals({ inventory }: { inventory: Inventory }) {
  const { total, uncertainty, completeness, ledgerCo2eTonnes } = inventory;
  const { included, notRelevant, notEstimated, missing } = completeness;
  const outside = ledgerCo2eTonnes - total.co2eTonnes;
  return (
    <div class="tiles inventory">
      <Tile title="Location-based total" value={total.co2eTonnes} unit="tCO₂e">
        {uncertainty === null ? (
          "No uncertainty stated"
        ) : (
          <>
            ± <Sum value={uncertainty.co2eTonnes} /> t (<Exact value={uncertainty.percent} /> %), stated for{" "}
            <Exact value={uncertainty.coveredPercent} /> % of it
          </>
        )}
      </Tile>
      <Tile title="Market-based total" value={total.marketBasedCo2eTonnes} unit="tCO₂e">
        {total.marketBasedCo2eTonnes === null
          ? "Unknown until you enter the kWh below"
          : "Scope 2 by certificates, contracts and residual mixes"}
      </Tile>
      <Tile
        title="Lines missing"
        value={missing}
        unit={`of ${included + notRelevant + notEstimated + missing}`}
      >
        {included} with records, {notRelevant} not relevant, {notEstimated} not estimated
      </Tile>
      <Tile title="All records" value={ledgerCo2eTonnes} unit="tCO₂e">
        {outside === 0 ? (
          "All of it is within your boundary"
        ) : (
          <>
            <Sum value={outside} /> t is outside your boundary
          </>
        )}
      </Tile>
    </div>
  );
}

interface TileProps {
  readonly title: string;
  readonly value: number | null;
  readonly unit: string;
  readonly children: ComponentChildren;
}

const Tile = ({ title, value, unit, children }: TileProps) => (
  <section class="card tile">
    <h2>{title}</h2>
    <p class="total">
      {value === null ? <span class="quiet">–</span> : <Sum value={value} />} <small>{unit}</small>
    </p>
    <p class="quiet">{children}</p>
  </section>
);

const SCOPE_COLUMNS: readonly Column<Inventory["scopes"][number]>[] = [
  { title: "Scope", cell: ({ scope }) => nameOf(scope) },
  { title: "Location-based, tCO₂e", isNumber: true, cell: ({ co2eTonnes }) => <Tonnes value={co2eTonnes} /> },
  {
    title: "Market-based, tCO₂e",
    isNumber: true,
    cell: ({ scope, co2eTonnes, marketBasedCo2eTonnes: byMarket }) => (
      <Tonnes value={scope === "SCOPE_2" ? byMarket : co2eTonnes} />
    ),
  },
  {
    title: "Biogenic CO₂, t",
    isNumber: true,
    cell: ({ biogenicCo2Tonnes }) => <Tonnes value={biogenicCo2Tonnes} />,
  },
  {
    title: "Uncertainty",
    isNumber: true,
    cell: ({ uncertainty }) =>
      uncertainty ? (
        <>
          ± <Exact value={uncertainty.percent} /> %
        </>
      ) : (
        "–"
      ),
  },
];
