import { useEffect, useState } from "preact/hooks";
import {
  type ActivityInput,
  type CalculationNotice,
  type ConsoleCalculateQuery,
  graphql,
} from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { writeDecimal, writeFormula } from "../../../parts/numbers.js";
import { Publication } from "../../../parts/source.js";

const CALCULATE = graphql(`
  query ConsoleCalculate($items: [ActivityInput!]!) {
    calculate(items: $items) {
      results {
        calculation {
          co2eKgExact
          co2eTonnesExact
          formula
          reason
          notices
          factor { source sourceUrl sourceYear }
        }
        error { code message }
      }
    }
  }
`);

type Result = NonNullable<ConsoleCalculateQuery["calculate"]>["results"][number];

const NOTICES: Readonly<Record<CalculationNotice, string>> = {
  CO2_ONLY: "The factor counts only CO₂, no other gases.",
  LIFE_CYCLE: "The factor includes the supply chain, so the result covers more than scope 2.",
  FACTOR_NEWER_THAN_ACTIVITY: "The factor was published after the activity.",
};

const PAUSE_MS = 300;

/**
 * Calculates an activity when typing pauses. Returns the previous result until a new one arrives; undefined if the
 * activity is incomplete or the request fails.
 */
export function useCalculation(activity: ActivityInput | null): Result | undefined {
  const [result, setResult] = useState<Result>();
  const key = JSON.stringify(activity);
  // `key` identifies the activity.
  useEffect(() => {
    if (activity === null) return setResult(undefined);
    const leaving = new AbortController();
    const calculate = () =>
      run(CALCULATE, { items: [activity] }, leaving.signal).then(
        (data) => leaving.signal.aborted || setResult(data.calculate?.results[0]),
        // Ignores the failure: submitting the form fails too and shows the reason.
        () => leaving.signal.aborted || setResult(undefined),
      );
    const timer = setTimeout(calculate, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [key]);
  return result;
}

/** A calculation with its formula and source. */
export function CalculationDetails({ calculation }: { calculation: NonNullable<Result["calculation"]> }) {
  const { co2eKgExact, co2eTonnesExact, formula, factor, reason, notices } = calculation;
  return (
    <>
      <p class="total">
        {writeDecimal(co2eTonnesExact)} <small>tCO₂e = {writeDecimal(co2eKgExact)} kg</small>
      </p>
      <p>
        <code>{writeFormula(formula)}</code>
      </p>
      <p>
        {factor ? (
          <>
            <Publication {...factor} />, {factor.sourceYear}
          </>
        ) : (
          reason
        )}
      </p>
      {notices.map((notice) => (
        <p key={notice}>ⓘ {NOTICES[notice]}</p>
      ))}
    </>
  );
}
