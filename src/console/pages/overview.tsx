import { Page } from "../parts/shell.js";
import { EmissionsOverview } from "./overview/emissions.js";
import { StateOverview } from "./overview/state.js";

/** How things stand: emissions in a range, then what is due, held and paid. */
export function Overview() {
  return (
    <Page title="Overview">
      <EmissionsOverview />
      <StateOverview />
    </Page>
  );
}
