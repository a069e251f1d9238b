import { graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { Figure } from "../../parts/charts/figure.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Exact } from "../../parts/numbers.js";
import { Empty, LoadedField } from "../../parts/states.js";
import { scopesOf } from "../verification/names.js";
import { CreateTarget, EditTarget } from "./edit-target.js";
import type { Target } from "./names.js";

const READ = graphql(`
  query ConsoleReductionTargets {
    reductionTargets {
      id
      name
      scopes
      scope2Method
      metric
      baseYear
      targetYear
      reductionPercentExact
      targetValueExact
      actions
      version
      base
      target
      path { year planned actual issued distance distancePercent achievedPercent onPath }
    }
  }
`);

const DELETE = graphql(`
  mutation ConsoleDeleteReductionTarget($id: UUID!, $version: Int!) {
    deleteReductionTarget(input: { id: $id, expectedVersion: $version }) { id }
  }
`);

/** The organization's reduction targets, with their paths and progress. */
export function Targets() {
  const answer = useQuery(READ, {});
  const mayWrite = useScope("write:emissions");
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <p class="quiet">
          A target starts at the issued inventory of its base year and falls in a straight line to the target
          year.
        </p>
        {mayWrite && <DialogButton label="Add target" look="primary" opens={<CreateTarget />} />}
      </div>
      <LoadedField answer={answer} skeleton="figure" field="reductionTargets">
        {(targets) => (
          <>
            {targets.length === 0 && <Empty>No targets yet.</Empty>}
            {targets.map((target) => (
              <OneTarget key={target.id} target={target} mayWrite={mayWrite} />
            ))}
          </>
        )}
      </LoadedField>
    </Dialogs>
  );
}

function OneTarget({ target, mayWrite }: { target: Target; mayWrite: boolean }) {
  const { name, scopes, scope2Method, metric, baseYear, targetYear, base, actions, path } = target;
  const unit = metric === null ? "tCO₂e" : `tCO₂e per unit of ${metric}`;
  const latest = path.findLast(({ actual }) => actual !== null);
  const numbers = {
    title: name,
    unit,
    rowsAre: "Year",
    rows: path.map(({ year }) => String(year)),
    series: [
      { name: "Planned", values: path.map(({ planned }) => planned) },
      { name: "Actual", values: path.map(({ actual }) => actual) },
    ],
  };
  return (
    <section>
      <div class="row">
        <h2>{name}</h2>
        {mayWrite && (
          <>
            <DialogButton label="Edit" opens={<EditTarget target={target} />} />
            <DialogButton label="Delete" opens={<DeleteTarget target={target} />} />
          </>
        )}
      </div>
      <p>
        {scopesOf(scopes)}
        {scope2Method && ` (${scope2Method === "MARKET_BASED" ? "market-based" : "location-based"})`}:{" "}
        {base === null ? (
          <>
            unknown until <a href={`/console/inventory/issues?year=${baseYear}`}>{baseYear} is issued</a>.
          </>
        ) : (
          <>
            from <Exact value={base} /> in {baseYear} to <Exact value={target.target} unit={unit} /> in{" "}
            {targetYear}.
          </>
        )}{" "}
        {latest && <Progress year={latest} />}
      </p>
      {actions && <p class="quiet lines">{actions}</p>}
      {base !== null && (
        <div class="cards">
          <Figure kind="lines" numbers={numbers} source={READ.source} isWide />
        </div>
      )}
    </section>
  );
}

/** Progress of a target in its latest year with an actual amount. */
function Progress({
  year: { year, actual, issued, distance, distancePercent, achievedPercent, onPath },
}: {
  year: Target["path"][number];
}) {
  return (
    <>
      {year}: <Exact value={actual} />
      {!issued && " (not issued)"}
      {onPath === null || distance === null ? (
        "."
      ) : (
        <>
          , <strong class={onPath ? undefined : "overdue"}>{onPath ? "on path" : "above the path"}</strong>
          {distance !== 0 && (
            <>
              : <Exact value={Math.abs(distance)} /> {distance > 0 ? "above" : "below"} it
              {distancePercent !== null && ` (${Math.abs(distancePercent)} %)`}
              {achievedPercent !== null && `; ${achievedPercent} % of the reduction achieved`}
            </>
          )}
          .
        </>
      )}
    </>
  );
}

const DeleteTarget = ({ target: { id, name, version } }: { target: Target }) => (
  <Confirm
    title={`Delete ${name}?`}
    action="Delete"
    onConfirm={() => run(DELETE, { id, version })}
    successMessage={`${name} deleted.`}
  >
    <p>The target will be removed from this page and from reports. The audit trail keeps a copy.</p>
  </Confirm>
);
