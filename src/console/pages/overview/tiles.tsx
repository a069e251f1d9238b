import type { ComponentChildren } from "preact";
import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { Day, daysAhead } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Sum } from "../../parts/numbers.js";
import { linkToRecords } from "../../parts/record-links.js";
import { LoadedField } from "../../parts/states.js";
import { type Change, periodsOf, SignedChange } from "./change.js";
import { writeDays } from "./periods.js";
import type { Emissions } from "./read-emissions.js";

const OPERATION = graphql(`
  query ConsoleAttention {
    compliance {
      overdue: deadlines(filter: { states: [PENDING], isOverdue: true, isDuty: true }, first: 1) {
        totalCount
        nodes { framework title dueDate daysRemaining }
      }
      upcoming: deadlines(filter: { states: [PENDING], isOverdue: false, isDuty: true }, first: 1) {
        nodes { framework title dueDate daysRemaining }
      }
    }
    emissions { anomalies { items(isAcknowledged: false, first: 1) { totalCount } } }
  }
`);

interface TilesProps {
  readonly emissions: Emissions;
  readonly change: Change;
}

/** Four tiles: total emissions, scopes, next deadline, and unusual months. */
export function Tiles({ emissions, change }: TilesProps) {
  const { totalCo2eTonnes: total, recordCount, byScope } = emissions;
  const answer = useQuery(OPERATION, {});
  return (
    <div class="tiles">
      <Tile title="Total emissions">
        <Figure link={linkToRecords(emissions)} unit="tCO₂e">
          <Sum value={total} />
        </Figure>
        <p class="quiet">
          {writeDays(emissions)}, <Exact value={recordCount} /> {recordCount === 1 ? "record" : "records"}
        </p>
        {change && <Comparison change={change} />}
      </Tile>
      <Tile title="Scopes">
        {byScope.map(({ scope, co2eTonnes }) => (
          <div key={scope} class="use">
            <p>
              <a href={linkToRecords(emissions, { scope })}>{nameOf(scope)}</a>{" "}
              <Sum value={co2eTonnes} unit="t" />{" "}
              {total > 0 && <span class="quiet">{Math.round((100 * co2eTonnes) / total)} %</span>}
            </p>
            <progress
              value={co2eTonnes}
              max={total || 1}
              aria-label={`${nameOf(scope)}, share of the total`}
            />
          </div>
        ))}
      </Tile>
      <Tile title="Next deadline">
        <LoadedField answer={answer} skeleton="line" field="compliance">
          {({ overdue, upcoming }) => {
            const next = overdue.nodes[0] ?? upcoming.nodes[0];
            if (!next) return <a href="/console/compliance">No upcoming deadlines</a>;
            return (
              <>
                <Figure link={`/console/compliance?year=${next.dueDate.slice(0, 4)}`}>
                  <Day on={next.dueDate} />
                </Figure>
                <p>
                  {daysAhead(next.daysRemaining)}
                  {overdue.totalCount > 0 && (
                    <strong class="overdue">
                      {" "}
                      · {overdue.totalCount === 1 ? "overdue" : `${overdue.totalCount} overdue`}
                    </strong>
                  )}
                </p>
                <p>
                  {next.title} <span class="quiet">{nameOf(next.framework)}</span>
                </p>
              </>
            );
          }}
        </LoadedField>
      </Tile>
      <Tile title="Unusual months">
        <LoadedField answer={answer} skeleton="line" field="emissions">
          {({ anomalies: { items } }) => (
            <Figure link="/console/records/findings" unit="to review">
              <Exact value={items.totalCount} />
            </Figure>
          )}
        </LoadedField>
      </Tile>
    </div>
  );
}

const Tile = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="card tile">
    <h2>{title}</h2>
    {children}
  </section>
);

const Figure = ({ link, unit, children }: { link: string; unit?: string; children: ComponentChildren }) => (
  <p class="total">
    <a href={link}>{children}</a> <small>{unit}</small>
  </p>
);

const Comparison = ({ change }: { change: NonNullable<Change> }) => (
  <LoadedField answer={change} skeleton="line" field="emissions">
    {(compared) => {
      const { now, before } = periodsOf(compared);
      const { percent } = compared.change;
      if (percent === null) return <p>No records for {writeDays(before)} to compare with.</p>;
      return (
        <>
          <p>
            <strong>
              <SignedChange by={percent} unit="%" />
            </strong>
          </p>
          <p class="quiet">
            {writeDays(now)} vs. {writeDays(before)}
          </p>
        </>
      );
    }}
  </LoadedField>
);
