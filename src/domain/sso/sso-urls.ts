/** Returns the URL at which people start a single sign-on. */
export const startUriOf = (siteUrl: string, connectionId: string): string =>
  uriOf(siteUrl, connectionId, "start");

/** Returns the URL to which a provider redirects after a sign-in. */
export const redirectUriOf = (siteUrl: string, connectionId: string): string =>
  uriOf(siteUrl, connectionId, "callback");

/** Returns the URL to which a provider reports the end of a session (OpenID Connect Back-Channel Logout 1.0). */
export const logoutUriOf = (siteUrl: string, connectionId: string): string =>
  uriOf(siteUrl, connectionId, "logout");

const uriOf = (siteUrl: string, connectionId: string, step: string) =>
  `${siteUrl}/v1/auth/sso/${connectionId}/${step}`;
