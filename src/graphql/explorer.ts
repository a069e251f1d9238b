import { ApolloServerPluginLandingPageLocalDefault } from "@apollo/server/plugin/landingPage/default";
import express, { type RequestHandler, Router } from "express";

/** What an explorer starts with. */
const FIRST_OPERATION = `# Press the run button. Without a demo key, put your own into the X-API-Key header first.
query Overview {
  organization { name }
  emissions {
    from
    to
    totalCo2eTonnes
    change { previousCo2eTonnes percent }
    byScope { scope co2eTonnes }
  }
  compliance { upcomingDeadlines(first: 3) { dueDate daysRemaining framework title } }
  credits { availableCredits byType { creditType quantity } }
  market { instruments(first: 5) { nodes { creditType exchange latestPrice { price currency asOf } } } }
  rateLimit { remaining resetAt }
}
`;

/** The header that explorers send, with a key that works or none yet. */
const firstHeaders = (demoKey: string | null) => ({ "X-API-Key": demoKey ?? "" });

/** Altair writes scripts and styles into its page, and makes functions of text: all of it its own. */
const ALTAIR_POLICY =
  "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'self'; form-action 'none'; frame-ancestors 'self'";

function protect(policy: string): RequestHandler {
  return (_request, response, next) => {
    response.set({ "Content-Security-Policy": policy, "Referrer-Policy": "same-origin" });
    next();
  };
}

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
  router.use(protect(ALTAIR_POLICY));
  router.get("/", (_request, response) => {
    response.type("html").send(page);
  });
  router.use(express.static(getDistDirectory(), { index: false, cacheControl: false }));
  return router;
}

/** Lets Sandbox run, which says in its page what it may load; other sites may not put it into theirs. */
export const protectSandbox = protect("frame-ancestors 'none'");

/** Apollo Sandbox, the landing page of /graphql. It is loaded from Apollo's site. */
export const sandboxPage = (demoKey: string | null) =>
  ApolloServerPluginLandingPageLocalDefault({
    embed: { runTelemetry: false, endpointIsEditable: false },
    includeCookies: false,
    footer: false,
    document: FIRST_OPERATION,
    headers: firstHeaders(demoKey),
  });
