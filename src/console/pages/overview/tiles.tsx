import type { ComponentChildren } from "preact";
import { graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { Day, daysAhead } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Exact, Sum } from "../../parts/numbers.js";
import { Shown } from "../../parts/states.js";
import { type Change, Changed, periodsOf } from "./change.js";
import { recordsOf, writeDays } from "./periods.js";
import type { Emissions } from "./read-emissions.js";

const DEADLINE = graphql(`
  query ConsoleNextDeadline {
    compliance { upcomingDeadlines(first: 20) { framework title dueDate daysRemaining status } }
  }
`);

const ANOMALIES = graphql(`
  query ConsoleUnusualMonths {
    emissions { anomalies { items(isAcknowledged: false, first: 1) { totalCount } } }
  }
`);

interface TilesProps {
  readonly emissions: Emissions;
  readonly change: Change;
}

/** Four tiles: the total and its change, the scopes, the next deadline, and the months to review. */
export const Tiles = ({ emissions, change }: TilesProps) => (
  <div class="tiles">
    <Tile title="Total emissions">
      <p class="total">
        <a href={recordsOf(emissions)}>
          <Sum value={emissions.totalCo2eTonnes} />
        </a>{" "}
        <small>tCO₂e</small>
      </p>
      <p class="quiet">
        {writeDays(emissions)}, <Exact value={emissions.recordCount} />{" "}
        {emissions.recordCount === 1 ? "record" : "records"}
      </p>
      {change && (
        <Shown answer={change} as="line" of="emissions">
          {(compared) => {
            const { now, before } = periodsOf(compared);
            const { percent } = compared.change;
            if (percent === null) return <p>Nothing to compare with: no records for {writeDays(before)}.</p>;
            return (
              <>
                <p>
                  <strong>
                    <Changed by={percent} unit="%" />
                  </strong>{" "}
                  {percent === 0 ? "change from" : percent < 0 ? "less than" : "more than"} a year before
                </p>
                <p class="quiet">
                  {writeDays(now)} against {writeDays(before)}
                </p>
              </>
            );
          }}
        </Shown>
      )}
    </Tile>
    <Scopes {...emissions} />
    <NextDeadline />
    <UnusualMonths />
  </div>
);

const Tile = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="card tile">
    <h2>{title}</h2>
    {children}
  </section>
);

const Scopes = ({ byScope, totalCo2eTonnes: total, ...days }: Emissions) => (
  <Tile title="Scopes">
    <ul>
      {byScope.map(({ scope, co2eTonnes }) => (
        <li key={scope}>
          <a href={recordsOf(days, { scope })}>{nameOf(scope)}</a>
          <span>
            <Sum value={co2eTonnes} unit="t" />
            {total > 0 && <span class="quiet"> {Math.round((100 * co2eTonnes) / total)} %</span>}
          </span>
          <progress value={co2eTonnes} max={total || 1} aria-label={`${nameOf(scope)}, share of the total`} />
        </li>
      ))}
    </ul>
  </Tile>
);

function NextDeadline() {
  const answer = useQuery(DEADLINE, {});
  const mayWrite = useScope("write:compliance");
  return (
    <Tile title="Next deadline">
      <Shown answer={answer} as="line" of="compliance">
        {({ upcomingDeadlines }) => {
          const next = upcomingDeadlines.find(({ status }) => status !== "completed");
          if (!next) {
            return (
              <p>
                No deadline is ahead.{" "}
                <a href="/console/compliance">{mayWrite ? "Add your deadlines" : "See compliance"}</a>
              </p>
            );
          }
          return (
            <>
              <p class="total">
                <Day on={next.dueDate} />
              </p>
              <p>{daysAhead(next.daysRemaining)}</p>
              <p>
                <a href={`/console/compliance?year=${next.dueDate.slice(0, 4)}`}>{next.title}</a>{" "}
                <span class="quiet">{nameOf(next.framework)}</span>
              </p>
            </>
          );
        }}
      </Shown>
    </Tile>
  );
}

function UnusualMonths() {
  const answer = useQuery(ANOMALIES, {});
  return (
    <Tile title="Unusual months">
      <Shown answer={answer} as="line" of="emissions">
        {({ anomalies: { items } }) =>
          items.totalCount === 0 ? (
            <p>Nothing to review in the last 24 months.</p>
          ) : (
            <>
              <p class="total">
                <Exact value={items.totalCount} /> <small>to review</small>
              </p>
              <p>
                <a href="/console/records/findings">Review them</a>
              </p>
            </>
          )
        }
      </Shown>
    </Tile>
  );
}
