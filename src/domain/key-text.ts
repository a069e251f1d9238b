/** The prefix of every API key. */
export const KEY_PREFIX = "cgw_live_";

/** The part of a key that may be shown: the prefix, the first four and the last four characters. */
export function displayKey(key: string): string {
  return `${key.slice(0, KEY_PREFIX.length + 4)}…${key.slice(-4)}`;
}

/** A pattern for `character`, plain or percent-encoded any number of times, in either case. */
const encoded = (character: string) =>
  `(?:${character}|%(?:25)*(?:${[character, character.toUpperCase()].map((one) => one.charCodeAt(0).toString(16)).join("|")}))`;

/** A key in any form that it can have in a URL. */
const ANY_KEY = new RegExp(
  `${[...KEY_PREFIX].map(encoded).join("")}(?:[0-9a-z_]|%(?:25)*(?:3[0-9]|[46][1-9a-f]|[57][0-9a]|5f))+`,
  "gi",
);

/** Whether `text` contains a key, or something that begins like one. */
export const holdsKey = (text: string): boolean => text.search(ANY_KEY) !== -1;

/** `text` with keys masked that a caller has put in the wrong place, such as a URL. */
export function hideKeys(text: string): string {
  return text.replace(ANY_KEY, `${KEY_PREFIX}…`);
}
