import { SERVICE_TOKEN_PREFIX } from "../domain/keys/secrets.js";
import { AppError } from "../errors.js";
import type { Authenticate } from "./authenticate.js";
import type { KeyBearer } from "./misplaced-key.js";

/**
 * Creates the authentication that also accepts HTTP Basic, the only kind that programs such as Excel and Power BI
 * offer. The password is an API key or a service account's token, and the user name does not matter. With HTTP Basic,
 * it throws CSRF_REJECTED if another site's page sent the request, because browsers remember these passwords, and
 * BAD_REQUEST if the request also has an X-API-Key header.
 */
export function createAuthenticateBasic(authenticate: Authenticate): Authenticate {
  return (request, caller) => {
    const { headers } = request;
    const password = readPassword(headers.authorization);
    if (password === undefined) return authenticate(request, caller);
    if (headers["sec-fetch-site"] === "cross-site") {
      throw new AppError(
        "CSRF_REJECTED",
        "A page of another site sent the request: HTTP Basic does not accept Sec-Fetch-Site: cross-site.",
      );
    }
    if (headers["x-api-key"]) {
      throw new AppError("BAD_REQUEST", "Expected an API key or HTTP Basic, got both.");
    }
    const { authorization: _, cookie: __, ...others } = headers;
    const credential = password.startsWith(SERVICE_TOKEN_PREFIX)
      ? { authorization: `Bearer ${password}` }
      : { "x-api-key": password };
    const { method, url } = request;
    return authenticate({ method, url, headers: { ...others, ...credential } } as KeyBearer, caller);
  };
}

/** Returns the password of HTTP Basic (RFC 7617); undefined for other schemes and malformed credentials. */
function readPassword(authorization = ""): string | undefined {
  const [, credentials] = /^basic +([\w+/=-]*)$/i.exec(authorization) ?? [];
  if (credentials === undefined) return undefined;
  const text = Buffer.from(credentials, "base64").toString();
  return text.slice(text.indexOf(":") + 1).trim();
}
