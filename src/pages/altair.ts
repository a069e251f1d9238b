import express, { Router } from "express";
import { FIRST_OPERATION, firstHeaders } from "./first-operation.js";

/** Altair writes scripts and styles into its page, and makes functions of text: all of it its own. */
const ALTAIR_POLICY =
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; form-action 'none'; frame-ancestors 'self'";

/** Altair, an explorer that loads nothing from elsewhere: for networks in which Apollo's site cannot be reached. */
export async function createExplorer(
  basePath: string,
  endpoint: string,
  demoKey: string | null,
): Promise<Router> {
  // Here, since most processes never show it, and it takes 7 MB of the heap.
  const { getDistDirectory, renderAltair } = await import("altair-static");
  const page = renderAltair({
    baseURL: `${basePath}/`,
    endpointURL: endpoint,
    initialName: "Overview",
    initialQuery: FIRST_OPERATION,
    initialHeaders: firstHeaders(demoKey),
    // The browser keeps what was last open under this name, the header too: a new demo key has to start anew.
    instanceStorageNamespace: `carbon_gateway_${demoKey ?? ""}`,
    disableAccount: true,
    // None of them would do in a closed network: they lead to Altair's own site, or ask it.
    initialSettings: {
      "banners.disable": true,
      "alert.disableUpdateNotification": true,
      disablePushNotification: true,
    },
  });
  const router = Router();
  router.use((_request, response, next) => {
    response.set({ "Content-Security-Policy": ALTAIR_POLICY, "Referrer-Policy": "same-origin" });
    next();
  });
  router.get("/", (_request, response) => {
    response.type("html").send(page);
  });
  router.use(express.static(getDistDirectory(), { index: false, cacheControl: false }));
  return router;
}
