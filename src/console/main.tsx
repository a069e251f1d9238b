import "@picocss/pico/css/pico.jade.css";
import "./theme.css";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { App } from "./app.js";

const root = document.querySelector("#console");
if (root)
  render(
    <LocationProvider scope="/console">
      <App />
    </LocationProvider>,
    root,
  );

// A page that the browser kept whole could show what belongs to a session that has ended since.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
const RELOADED_AT = "reloaded-at";
const A_MINUTE = 60_000;
// If the gateway answers, a newer version was installed meanwhile: the files that this page wants are gone. A file that stays away
// must not reload the page without end.
addEventListener("vite:preloadError", async () => {
  const answer = await fetch("/health/live").catch(() => undefined);
  if (!answer?.ok || Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < A_MINUTE) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
});
