import { type Context, requireAccess } from "../../access/context.js";
import {
  type ForecastOptions,
  forecastMonths,
  type Monthly,
  predictMonths,
} from "../../actions/foresight/forecast.js";
import {
  listMonthlyCredits,
  listMonthlyEmissions,
  listMonthlyPrices,
} from "../../actions/foresight/monthly.js";
import type { InstrumentKey } from "../../data/market/market.js";
import type { Resolvers } from "../../generated/resolvers.js";
import { takeTurnOf } from "../../turns.js";
import { refuseArgument, requireSize, requireWithin } from "../paging/arguments.js";

const WINDOWS = { min: 6, max: 60 };
const MAX_MONTHS = 12;
const MAX_LEVELS = 5;

function readOptions({ method, levels, window }: ForecastOptions): ForecastOptions {
  requireWithin("window", window, WINDOWS.min, WINDOWS.max);
  requireSize("levels", levels.length, MAX_LEVELS);
  const wrong = levels.find((level) => !(level > 0 && level < 100));
  if (wrong !== undefined)
    throw refuseArgument("levels", `expected percentages above 0 and below 100, got ${wrong}`);
  return { method, window, levels: [...new Set(levels)].sort((one, other) => one - other) };
}

interface ForecastArguments extends ForecastOptions {
  readonly horizon: number;
}

/** Creates the fields that forecast a module's monthly amounts. */
const forecastsOf = <Parent, Args>(
  readMonthly: (parent: Parent, args: Args, context: Context) => Promise<Monthly>,
  isSummed: boolean,
) => ({
  async forecast(parent: Parent, args: Args & ForecastArguments, context: Context) {
    const horizon = requireWithin("horizon", args.horizon, 1, MAX_MONTHS);
    const options = readOptions(args);
    const monthly = await readMonthly(parent, args, context);
    await takeTurnOf(context.request);
    return forecastMonths(monthly, { ...options, horizon });
  },
  async predictions(parent: Parent, args: Args & ForecastOptions, context: Context) {
    const options = readOptions(args);
    const monthly = await readMonthly(parent, args, context);
    await takeTurnOf(context.request);
    return predictMonths(monthly, { ...options, isSummed });
  },
});

/** Forecasts of emissions, retired credits and prices. */
export const foresight = {
  Emissions: forecastsOf(({ filter }: { filter: object }, _args: unknown, context) => {
    const { loaders } = requireAccess(context);
    return listMonthlyEmissions(loaders, filter, context.request.now);
  }, true),
  CreditPortfolio: forecastsOf(
    (_parent, _args: unknown, context) =>
      listMonthlyCredits(requireAccess(context).tenant, context.request.now),
    true,
  ),
  Market: forecastsOf(
    (_parent, instrument: InstrumentKey, context) =>
      listMonthlyPrices(requireAccess(context).tenant, instrument, context.request.now),
    false,
  ),
} satisfies Resolvers;
