import "@picocss/pico/css/pico.jade.css";
import "./theme.css";
import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { App } from "./app.js";
import { endProof } from "./gateway/factors/provider-proof.js";
import { reloadAtOnce } from "./parts/forms/use-leaving.js";

endProof();

const root = document.querySelector("#console");
if (root)
  render(
    <LocationProvider scope="/console">
      <App />
    </LocationProvider>,
    root,
  );

// A page from the browser's back/forward cache could show data of a session that has ended since.
addEventListener("pageshow", ({ persisted }) => persisted && reloadAtOnce());
const RELOADED_AT = "reloaded-at";
const A_MINUTE = 60_000;
// If the gateway answers, it has been upgraded and no longer has this page's files. A file that stays missing must
// not cause a loop of reloads.
addEventListener("vite:preloadError", async () => {
  const answer = await fetch("/health/live").catch(() => undefined);
  if (!answer?.ok || Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) < A_MINUTE) return;
  sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  location.reload();
});
