export const FORECAST_METHODS = ["ols", "seasonal_naive"] as const;
/** Forecasting method: a straight line by ordinary least squares, or the same months of the year before. */
export type ForecastMethod = (typeof FORECAST_METHODS)[number];

/** Modules whose monthly amounts can be forecast. */
export const FORECAST_MODULES = ["emissions", "credits", "market"] as const;
export type ForecastModule = (typeof FORECAST_MODULES)[number];
