import express, { Router } from "express";
import { CONSOLE_DOCUMENTS } from "../generated/console-documents.js";
import { FIRST_OPERATION, firstHeaders } from "./first-operation.js";

/**
 * Content-Security-Policy for Altair, which uses inline scripts, inline styles and `eval`. All of that code comes
 * from Altair itself.
 */
const ALTAIR_POLICY =
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; form-action 'none'; frame-ancestors 'self'";

/**
 * The console's operations by name. The page opens no other documents, because running one would use the visitor's
 * session.
 */
const OPERATIONS = new Map(Object.entries(CONSOLE_DOCUMENTS));

/**
 * Creates the router of Altair, an explorer that loads nothing from other sites and so works without internet access.
 * `?operation=` and `?variables=` open an operation of the console.
 */
export async function createExplorer(
  basePath: string,
  endpoint: string,
  demoKey: string | null,
): Promise<Router> {
  // Loaded on first use, because it takes 7 MB of heap.
  const { getDistDirectory, renderAltair } = await import("altair-static");
  const options = {
    baseURL: `${basePath}/`,
    endpointURL: endpoint,
    initialName: "Overview",
    initialQuery: FIRST_OPERATION,
    initialHeaders: firstHeaders(demoKey),
    // The browser stores the last window, with its headers, under this name. A new demo key needs a new name.
    instanceStorageNamespace: `carbon_gateway_${demoKey ?? ""}`,
    disableAccount: true,
    // These would contact Altair's site.
    initialSettings: {
      "banners.disable": true,
      "alert.disableUpdateNotification": true,
      disablePushNotification: true,
    },
  };
  const page = renderAltair(options);
  const router = Router();
  router.use((_request, response, next) => {
    response.set({ "Content-Security-Policy": ALTAIR_POLICY, "Referrer-Policy": "same-origin" });
    next();
  });
  router.get("/", ({ query }, response) => {
    const operation = OPERATIONS.get(String(query["operation"]));
    const html =
      operation === undefined
        ? page
        : renderAltair({
            ...options,
            initialQuery: operation.replace(/^ {2}/gm, "").trim(),
            initialVariables: readVariables(query["variables"]),
            // The user's session authenticates instead.
            initialHeaders: {},
            preserveState: false,
          });
    response.type("html").send(html);
  });
  router.use(express.static(getDistDirectory(), { index: false, cacheControl: false }));
  return router;
}

/**
 * Returns variables as JSON that cannot close the surrounding script element; an empty object if the text is not
 * JSON.
 */
function readVariables(text: unknown): string {
  try {
    return JSON.stringify(JSON.parse(String(text)), null, 2).replaceAll("<", "\\u003c");
  } catch {
    return "{}";
  }
}
