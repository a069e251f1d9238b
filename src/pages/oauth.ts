import { Router } from "express";
import { metadataPathOf } from "../access/credentials.js";
import { urlOfResource } from "../access/oauth.js";
import { RESOURCES } from "../access/secrets/access-token.js";
import { SERVICE_SCOPES } from "../domain/people/roles.js";
import { servePublicDocument } from "../http/answer/public-document.js";
import { getOnly } from "../http/server/side-server.js";
import type { Site } from "../http/site.js";
import { TOKEN_PATH } from "../http/surface.js";

const SERVER_PATH = "/.well-known/oauth-authorization-server";

/** Every request to this path is refused, because users cannot sign in to OAuth clients. */
const AUTHORIZATION_PATH = "/oauth/authorize";
/** An error of RFC 6749, section 4.1.2.1. It does not redirect, because no client has registered a redirect_uri. */
const UNSUPPORTED = {
  error: "unsupported_response_type",
  error_description:
    "This server issues tokens only to service accounts. Request one from the token endpoint with grant_type=client_credentials.",
};

/** Scopes that a service account can have. */
const SCOPES_SUPPORTED = SERVICE_SCOPES.admin;

/**
 * Creates the router of the metadata documents that tell clients how to get a token (RFC 8414 and RFC 9728), and of
 * the authorization endpoint they name.
 */
export function createOauthDocuments(site: Site): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const serve = (path: string, describe: () => object) => {
    router.all(path, getOnly);
    router.get(
      path,
      servePublicDocument("json", () => JSON.stringify(describe())),
    );
  };
  serve(SERVER_PATH, () => ({
    issuer: site.url(),
    // RFC 8414 does not require it without a grant that uses it, but clients of the Model Context Protocol do.
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
      // Clients of the Model Context Protocol would request all of them, and fail if the service account has fewer.
      ...(resource !== "mcp" && { scopes_supported: SCOPES_SUPPORTED }),
      bearer_methods_supported: ["header"],
    }));
  }
  return router;
}
