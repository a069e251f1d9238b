import { Router } from "express";
import { metadataPathOf } from "../access/credentials.js";
import { urlOfResource } from "../access/oauth.js";
import { RESOURCES } from "../access/secrets/access-token.js";
import { SERVICE_SCOPES } from "../domain/people/roles.js";
import { getOnly } from "../http/server/side-server.js";
import type { Site } from "../http/site.js";
import { TOKEN_PATH } from "../http/surface.js";

const SERVER_PATH = "/.well-known/oauth-authorization-server";

/** Refuses every request: nobody signs in to a client here. */
const AUTHORIZATION_PATH = "/oauth/authorize";
/** A refusal of RFC 6749, section 4.1.2.1, which is not sent to a redirect_uri: no client has registered one. */
const UNSUPPORTED = {
  error: "unsupported_response_type",
  error_description:
    "This server gives bearers to service accounts alone. Ask the token endpoint for one, with grant_type=client_credentials.",
};

/** The scopes that a service account can have. */
const SCOPES_SUPPORTED = SERVICE_SCOPES.admin;

/** Creates the router of the documents by which clients discover how to get a bearer (RFC 8414 and RFC 9728), and of what these name. */
export function createOauthDocuments(site: Site): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const serve = (path: string, describe: () => object) => {
    router.all(path, getOnly);
    router.get(path, (_request, response) => {
      response.set("Cache-Control", "public, max-age=300").json(describe());
    });
  };
  serve(SERVER_PATH, () => ({
    issuer: site.url(),
    // RFC 8414 requires none without a grant that uses it, but clients of the Model Context Protocol do.
    authorization_endpoint: site.url() + AUTHORIZATION_PATH,
    token_endpoint: site.url() + TOKEN_PATH,
    grant_types_supported: ["client_credentials"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    response_types_supported: [],
    scopes_supported: SCOPES_SUPPORTED,
  }));
  router.all(AUTHORIZATION_PATH, getOnly);
  router.get(AUTHORIZATION_PATH, (_request, response) => {
    response.status(400).set({ "Cache-Control": "no-store", Pragma: "no-cache" }).json(UNSUPPORTED);
  });
  for (const resource of RESOURCES) {
    serve(metadataPathOf(resource), () => ({
      resource: urlOfResource(site, resource),
      authorization_servers: [site.url()],
      // Clients of the Model Context Protocol would ask for all of them, and be refused where a service account has fewer.
      ...(resource !== "mcp" && { scopes_supported: SCOPES_SUPPORTED }),
      bearer_methods_supported: ["header"],
    }));
  }
  return router;
}
