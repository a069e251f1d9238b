import { Page } from "../parts/shell/shell.js";

/** What an address shows that is no page. */
export function NotFound() {
  return (
    <Page title="There is no such page">
      <p>
        Go to the <a href="/console/">Overview</a>.
      </p>
    </Page>
  );
}
