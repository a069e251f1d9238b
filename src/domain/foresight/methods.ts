export const FORECAST_METHODS = ["naive", "seasonal_naive", "ols", "ols_seasonal"] as const;
/**
 * Forecasting method, simplest first: the last month, the same month of the year before, a straight line by ordinary
 * least squares, or such a line with a level for each calendar month.
 */
export type ForecastMethod = (typeof FORECAST_METHODS)[number];

/** A method, or `best` for the most accurate one in past months. */
export type MethodChoice = ForecastMethod | "best";

/** Modules whose monthly amounts can be forecast. */
export const FORECAST_MODULES = ["emissions", "credits", "market"] as const;
export type ForecastModule = (typeof FORECAST_MODULES)[number];
