import { Page } from "../parts/shell/shell.js";

/** The page for unknown addresses. */
export function NotFound() {
  return (
    <Page title="Page not found">
      <p>
        Go to the <a href="/console/">Overview</a>.
      </p>
    </Page>
  );
}
