import { z } from "zod";
import { DIRECTIONS } from "../../../domain/foresight/line.js";
import { FORECAST_METHODS } from "../../../domain/foresight/methods.js";
import type { Module } from "../../../domain/modules.js";
import {
  type ForecastFieldsFragment,
  type ForecastPointFieldsFragment,
  graphql,
  type PredictionsFieldsFragment,
} from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";

const monthShape = z.string().meta({ description: "Such as `2026-10`." });

const intervalShape = z
  .object({ level: z.number().meta({ description: "Percentage." }), lower: z.number(), upper: z.number() })
  .meta({ id: "ForecastInterval" });

const intervals = (description: string) => z.array(intervalShape).meta({ description });

const expected = {
  value: z.number().meta({ description: "Raised to 0 if it would be negative." }),
  raw: z.number().meta({ description: "The same before it was raised." }),
  prediction: intervals("Where the amount will be."),
  clamped: z.boolean().meta({ description: "Whether the value or one of its bounds was raised to 0." }),
};

const pointShape = z
  .object({
    month: monthShape,
    ...expected,
    confidence: intervals("Where the line is; empty if there is no line."),
  })
  .meta({ id: "ForecastPoint" });

const basis = {
  module: z.string(),
  unit: z.string().meta({ description: "`tCO2e`, `credits`, or the currency of the prices." }),
  method: z.enum(FORECAST_METHODS),
  n: z.int().meta({ description: "Number of months with data." }),
  window: z.object({ from: monthShape, to: monthShape }).meta({
    id: "ForecastWindow",
    description: "From the first month with data to the last complete month.",
  }),
  excluded_months: z
    .array(monthShape)
    .meta({ description: "Months without data: they are left out of the fit." }),
};

const model = z
  .object({
    slope: z.number().meta({ description: "Change per month." }),
    intercept: z.number().meta({ description: "The line in the first month." }),
    r2: z.number().nullable().meta({ description: "Null if the amounts do not vary." }),
    residual_sd: z.number(),
    direction: z.enum(DIRECTIONS),
    p_value: z.number().nullable().meta({ description: "Null if the amounts do not vary." }),
  })
  .meta({ id: "ForecastModel" });

const backtest = z
  .object({
    folds: z.int(),
    mae: z.number().meta({ description: "Mean absolute error." }),
    naive_mae: z.number().meta({ description: 'The same for "as in the last month with data".' }),
    wape_pct: z.number().nullable(),
  })
  .meta({ id: "Backtest" });

/** The shape of a forecast. */
export const forecastShape = z
  .object({
    ...basis,
    model,
    points: z.array(pointShape),
    backtest: backtest.nullable().meta({ description: "Null for 6 months with data." }),
    notices: z.array(z.enum(["NAIVE_IS_BETTER"])),
  })
  .meta({ id: "Forecast" });

const cumulativeShape = z.object(expected).meta({ id: "CumulativePrediction" });

/** The shape of predictions. */
export const predictionsShape = z
  .object({
    ...basis,
    predictions: z.array(
      z
        .object({
          horizon: z.int().meta({ description: "How many months ahead." }),
          month: pointShape.meta({ description: "The last of these months." }),
          cumulative: cumulativeShape
            .nullable()
            .meta({ description: "All of these months together; null for prices." }),
        })
        .meta({ id: "Prediction" }),
    ),
  })
  .meta({ id: "Predictions" });

graphql(`
  fragment ForecastPointFields on ForecastPoint {
    month value raw clamped confidence { level lower upper } prediction { level lower upper }
  }
`);
graphql(`
  fragment ForecastFields on Forecast {
    unit method n from to excludedMonths model { slope intercept r2 residualSd pValue direction }
    points { ...ForecastPointFields } backtest { folds mae naiveMae wapePct } notices
  }
`);
graphql(`
  fragment PredictionsFields on Predictions {
    unit method n from to excludedMonths
    predictions {
      horizon month { ...ForecastPointFields } cumulative { value raw clamped prediction { level lower upper } }
    }
  }
`);

type Queried = Omit<PredictionsFieldsFragment, "predictions">;

const describeBasis = (module: Module, { unit, method, n, from, to, excludedMonths }: Queried) => ({
  module,
  unit,
  method: lowerCase(method),
  n,
  window: { from, to },
  excluded_months: [...excludedMonths],
});

const describeExpected = ({
  value,
  raw,
  prediction,
  clamped,
}: Pick<ForecastPointFieldsFragment, "value" | "raw" | "prediction" | "clamped">) => ({
  value,
  raw,
  prediction: [...prediction],
  clamped,
});

const describePoint = (point: ForecastPointFieldsFragment): z.infer<typeof pointShape> => ({
  month: point.month,
  ...describeExpected(point),
  confidence: [...point.confidence],
});

/** A forecast of the graph in REST's spelling. */
export function describeForecast(
  module: Module,
  found: ForecastFieldsFragment | null,
): z.infer<typeof forecastShape> {
  // It is null beside an error only, which is answered instead.
  const { model, points, backtest, notices, ...basis } = found as ForecastFieldsFragment;
  return {
    ...describeBasis(module, basis),
    model: {
      slope: model.slope,
      intercept: model.intercept,
      r2: model.r2 ?? null,
      residual_sd: model.residualSd,
      direction: lowerCase(model.direction),
      p_value: model.pValue ?? null,
    },
    points: points.map(describePoint),
    backtest: backtest
      ? {
          folds: backtest.folds,
          mae: backtest.mae,
          naive_mae: backtest.naiveMae,
          wape_pct: backtest.wapePct ?? null,
        }
      : null,
    notices: [...notices],
  };
}

/** Predictions of the graph in REST's spelling. */
export function describePredictions(
  module: Module,
  found: PredictionsFieldsFragment | null,
): z.infer<typeof predictionsShape> {
  const { predictions, ...basis } = found as PredictionsFieldsFragment;
  return {
    ...describeBasis(module, basis),
    predictions: predictions.map(({ horizon, month, cumulative }) => ({
      horizon,
      month: describePoint(month),
      cumulative: cumulative ? describeExpected(cumulative) : null,
    })),
  };
}

const AT_95 = [{ level: 95, lower: 84.418, upper: 102.764 }];
const EXAMPLE_POINT: z.infer<typeof pointShape> = {
  month: "2026-11",
  value: 93.591,
  raw: 93.591,
  prediction: AT_95,
  clamped: false,
  confidence: [{ level: 95, lower: 88.783, upper: 98.399 }],
};
const EXAMPLE_BASIS = {
  module: "emissions",
  unit: "tCO2e",
  method: "ols" as const,
  n: 12,
  window: { from: "2025-11", to: "2026-10" },
  excluded_months: [],
};

export const FORECAST_EXAMPLE: z.infer<typeof forecastShape> = {
  ...EXAMPLE_BASIS,
  model: {
    slope: -1.562937,
    intercept: 112.346154,
    r2: 0.739685,
    residual_sd: 3.506188,
    direction: "decreasing",
    p_value: 0.000333,
  },
  points: [EXAMPLE_POINT],
  backtest: { folds: 6, mae: 2.619, naive_mae: 4.5, wape_pct: 2.64 },
  notices: [],
};

export const PREDICTIONS_EXAMPLE: z.infer<typeof predictionsShape> = {
  ...EXAMPLE_BASIS,
  predictions: [
    {
      horizon: 1,
      month: EXAMPLE_POINT,
      cumulative: { value: 93.591, raw: 93.591, prediction: AT_95, clamped: false },
    },
  ],
};
