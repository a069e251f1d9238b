/** Prefix of API keys. */
export const KEY_PREFIX = "cgw_live_";

/** Prefix of webhook secrets, defined by Standard Webhooks. */
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** Prefix of service account tokens. */
export const SERVICE_TOKEN_PREFIX = "cgw_svc_";

/** Prefix of the short-lived access tokens that service accounts exchange their tokens for. */
export const ACCESS_TOKEN_PREFIX = "cgw_acc_";

/** Prefixes of all other tokens. */
export const TOKEN_PREFIXES = {
  session: "cgw_ses_",
  refresh: "cgw_ref_",
  invitation: "cgw_inv_",
  link: "cgw_lnk_",
  /** Confirms an e-mail address. */
  confirmation: "cgw_cnf_",
  /** Sets a new password. */
  reset: "cgw_rst_",
  /** Confirms the new e-mail address of an account. */
  change: "cgw_chg_",
  /** Stops or undoes a change of an e-mail address. */
  cancel: "cgw_cxl_",
  /** Removes one way in that was added to an account. */
  disown: "cgw_dsn_",
  /** Continues a sign-in that needs a second factor, or starts one with a passkey. */
  challenge: "cgw_chl_",
  /** Lets the person who opens the link accept a request as its verifier. */
  verifier: "cgw_vfy_",
  /** Signs requests to webhooks created before the secrets of Standard Webhooks were introduced. */
  webhook: "cgw_whs_",
} as const;

/** Returns the part of a key or token that may be shown: its prefix, and its first and last four characters. */
export function displayKey(key: string): string {
  return `${key.slice(0, key.lastIndexOf("_") + 5)}…${key.slice(-4)}`;
}

/** Returns a pattern for `character`, plain or percent-encoded any number of times, in either case. */
const encoded = (character: string) =>
  `(?:${character}|%(?:25)*(?:${[character, character.toUpperCase()].map((one) => one.charCodeAt(0).toString(16)).join("|")}))`;

const encodedText = (text: string) => [...text].map(encoded).join("");

/** Pattern of the characters after a prefix, plain or percent-encoded. */
const REST = "(?:[0-9a-z_]|%(?:25)*(?:3[0-9]|[46][1-9a-f]|[57][0-9a]|5f))+";

const ANY_KEY = new RegExp(`${encodedText(KEY_PREFIX)}${REST}`, "i");

const ANY_SERVICE_TOKEN = new RegExp(
  `(?:${[SERVICE_TOKEN_PREFIX, ACCESS_TOKEN_PREFIX].map(encodedText).join("|")})${REST}`,
  "i",
);

/** Kinds of keys and tokens: the part of each prefix between `cgw_` and the next `_`. */
const KINDS = [KEY_PREFIX, SERVICE_TOKEN_PREFIX, ACCESS_TOKEN_PREFIX, ...Object.values(TOKEN_PREFIXES)].map(
  (prefix) => prefix.split("_")[1] ?? "",
);

/** Matches a key or a token, with one group for each kind. */
const ANY_SECRET = new RegExp(
  `${encodedText("cgw_")}(?:${KINDS.map((kind) => `(${encodedText(kind)})`).join("|")})${encoded("_")}${REST}`,
  "gi",
);

/** Matches a webhook secret, whose base64 may be percent-encoded. */
const WEBHOOK_SECRET = new RegExp(`${WEBHOOK_SECRET_PREFIX}(?:[0-9a-z+/=]|%(?:25)*(?:2b|2f|3d))+`, "gi");

/** Returns true if `text` contains an API key, or something that starts like one. */
export const containsKey = (text: string): boolean => ANY_KEY.test(text);

/** Matches a whole key, token or webhook secret. A displayed key has only four characters after its prefix. */
const WHOLE_SECRET = /(?:cgw_[a-z]{3,4}_|whsec_)[0-9A-Za-z+/_=-]{20}/;

/** Returns true if `text` contains a whole key, token or webhook secret. */
export const containsWholeSecret = (text: string): boolean => WHOLE_SECRET.test(text);

/** Returns true if `text` contains a service account's token or access token, or something that starts like one. */
export const containsServiceToken = (text: string): boolean => ANY_SERVICE_TOKEN.test(text);

/** Masks keys, tokens and webhook secrets that are in the wrong place, such as a URL. */
export function maskSecrets(text: string): string {
  return text
    .replace(
      ANY_SECRET,
      (_whole, ...groups) => `cgw_${KINDS[groups.findIndex((group) => group !== undefined)]}_…`,
    )
    .replace(WEBHOOK_SECRET, `${WEBHOOK_SECRET_PREFIX}…`);
}
