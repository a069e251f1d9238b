import { Page } from "../parts/shell/shell.js";
import { EmissionsOverview } from "./overview/emissions.js";
import "./overview/overview.css";

/** The overview page: emissions and their change, insights, credits, prices and the forecast. */
export const Overview = () => (
  <Page title="Overview">
    <EmissionsOverview />
  </Page>
);
