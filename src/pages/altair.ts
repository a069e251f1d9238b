import express, { Router } from "express";
import { FIRST_OPERATION, firstHeaders } from "./first-operation.js";

/** Altair's page has inline scripts and styles, and evaluates code; all of it comes from Altair itself. */
const ALTAIR_POLICY =
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; form-action 'none'; frame-ancestors 'self'";

/** Creates the router of Altair, an explorer that loads nothing from other sites, for networks without internet access. */
export async function createExplorer(
  basePath: string,
  endpoint: string,
  demoKey: string | null,
): Promise<Router> {
  // Loaded only when it is shown: it takes 7 MB of the heap.
  const { getDistDirectory, renderAltair } = await import("altair-static");
  const page = renderAltair({
    baseURL: `${basePath}/`,
    endpointURL: endpoint,
    initialName: "Overview",
    initialQuery: FIRST_OPERATION,
    initialHeaders: firstHeaders(demoKey),
    // The browser keeps the last window under this name, headers included. A new demo key needs a new one.
    instanceStorageNamespace: `carbon_gateway_${demoKey ?? ""}`,
    disableAccount: true,
    // These would contact Altair's site.
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
