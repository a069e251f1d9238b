export const FORECAST_METHODS = ["naive", "seasonal_naive", "ols", "ols_seasonal"] as const;
/**
 * Forecasting method, simplest first: the last month again, the same months of the year before, a straight line by
 * ordinary least squares, or one with a level for each calendar month.
 */
export type ForecastMethod = (typeof FORECAST_METHODS)[number];

/** A method, or the one whose forecasts of past months were closest. */
export type MethodChoice = ForecastMethod | "best";

/** Modules whose monthly amounts can be forecast. */
export const FORECAST_MODULES = ["emissions", "credits", "market"] as const;
export type ForecastModule = (typeof FORECAST_MODULES)[number];
