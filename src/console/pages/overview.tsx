import { later } from "../parts/later.js";
import { Page } from "../parts/shell/shell.js";
import { EmissionsOverview } from "./overview/emissions.js";
import { StateOverview } from "./overview/state.js";

const EmissionInsights = later(async () => (await import("./overview/insights.js")).EmissionInsights);
const ForecastOverview = later(async () => (await import("./overview/forecast.js")).ForecastOverview);

/** How things stand: emissions in a range, what is due, held and paid, and the emissions to expect. */
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
