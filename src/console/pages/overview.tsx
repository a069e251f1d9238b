import { Page } from "../parts/shell/shell.js";
import { EmissionsOverview } from "./overview/emissions.js";
import "./overview/overview.css";

/** Overview: emissions in a range and their change, what needs attention, and forecast emissions. */
export const Overview = () => (
  <Page title="Overview">
    <EmissionsOverview />
  </Page>
);
