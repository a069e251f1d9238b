/** Returns true if `text` is an absolute http or https URL without a user name or password, which would be stored. */
export function isWebLink(text: string): boolean {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username + password === "";
}

/** Description of the links that `isWebLink` accepts, for messages. */
export const WEB_LINK = "an absolute http or https URL without a user name or password";

/** Hides user names and passwords in URLs, also in malformed ones. */
export const hideCredentials = (text: string): string => text.replace(/\/\/\S*@/g, "//…@");
