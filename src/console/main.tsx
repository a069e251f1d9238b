import "@picocss/pico/css/pico.jade.css";
import "./theme.css";
import { render } from "preact";
import { App } from "./app.js";

const root = document.querySelector("#console");
if (root) render(<App />, root);

// A page that the browser kept whole could show what belongs to a session that has ended since.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
// If the gateway answers, a newer version was installed meanwhile: the files that this page wants are gone.
addEventListener("vite:preloadError", async () => {
  const answer = await fetch("/health/live").catch(() => undefined);
  if (answer?.ok) location.reload();
});
