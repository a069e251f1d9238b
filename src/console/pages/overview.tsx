import { later } from "../parts/later.js";
import { Page } from "../parts/shell/shell.js";
import { EmissionsOverview } from "./overview/emissions.js";
import { StateOverview } from "./overview/state.js";

const EmissionInsights = later(async () => (await import("./overview/insights.js")).EmissionInsights);
const ForecastOverview = later(async () => (await import("./overview/forecast.js")).ForecastOverview);

/** Overview: emissions in a range, upcoming deadlines, credits, prices and forecast emissions. */
export function Overview() {
  return (
    <Page title="Overview">
      <EmissionsOverview />
      <EmissionInsights />
      <StateOverview />
      <ForecastOverview />
    </Page>
  );
}
