import { Page } from "../parts/shell/shell.js";

/** The page for unknown addresses. */
export function NotFound() {
  return (
    <Page title="There is no such page">
      <p>
        Go to the <a href="/console/">Overview</a>.
      </p>
    </Page>
  );
}
