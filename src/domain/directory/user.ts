import { isObject } from "../is-object.js";
import { findEmailFault, foldEmail } from "../people/email.js";
import { findNameFault } from "../texts/name.js";
import { isWithinLimit, TEXT_LIMITS } from "../texts/text-limits.js";
import { type Document, isPrimary, readBoolean, requireOnePrimary, toText } from "./attributes.js";
import { refuse } from "./fault.js";

/** Maximum number of a user's groups. */
export const MAX_GROUPS = 1_000;
/** Maximum number of groups of all users on a page. */
export const MAX_LISTED_GROUPS = 2_000;

/** Fields of a user that a directory sets. */
export interface UserFields {
  readonly userName: string;
  readonly externalId: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  /** Name of the user's account. */
  readonly name: string;
  /** E-mail address of the user's account. */
  readonly email: string;
  /** Undefined if the directory did not send it. */
  readonly active: boolean | undefined;
}

/** Fields of a user, with the value of `active` to store. */
export interface ActiveUserFields extends UserFields {
  readonly active: boolean;
}

/** A user managed by a directory. */
export interface DirectoryUser extends ActiveUserFields {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly groups: readonly { readonly id: string; readonly displayName: string }[];
}

/** Reads and trims a single line of text; null if it is missing, null or empty. Throws ScimFault for other values. */
export function readText(value: unknown, place: string, limit: number): string | null {
  if (value === undefined || value === null || value === "") return null;
  if (typeof value !== "string") return refuse("invalidValue", `${place}: expected a string`);
  const text = value.trim();
  if (text === "" || /[\p{Cc}\p{Cs}]/u.test(text))
    return refuse("invalidValue", `${place}: expected a single line of text`);
  return isWithinLimit(text, limit)
    ? text
    : refuse("invalidValue", `${place}: expected at most ${limit} characters`);
}

const isSameText = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Reads `active`; undefined if it is missing. Null is refused: it must not let anybody in. */
const readActive = (value: unknown): boolean | undefined =>
  value === undefined
    ? undefined
    : (readBoolean(value) ?? refuse("invalidValue", "active: expected true or false"));

/** Returns fields with `active`, true by default. Throws ScimFault if it is missing for a disabled account. */
export function withActive(fields: UserFields, isDisabled: boolean): ActiveUserFields {
  const { active = isDisabled ? refuse("invalidValue", "active: required for a disabled account") : true } =
    fields;
  return { ...fields, active };
}

/** Returns the primary address, or else the work address; null without either. */
function findAddress(emails: unknown): string | null {
  if (emails === undefined || emails === null) return null;
  const items = (Array.isArray(emails) ? emails : [emails]).filter(isObject);
  const isWork = ({ type }: Document) => toText(type).toLowerCase() === "work";
  requireOnePrimary(items);
  const found = items.find(isPrimary) ?? items.find(isWork);
  return found ? readText(found["value"], "emails.value", TEXT_LIMITS.email) : null;
}

const joinNames = (given: string | null, family: string | null): string | null =>
  [given, family].filter((part) => part !== null).join(" ") || null;

/** Reads a user from a document. Throws ScimFault for an invalid value. */
export function readUser(document: Document): UserFields {
  const userName = readText(document["userName"], "userName", TEXT_LIMITS.email);
  if (userName === null) return refuse("invalidValue", "userName: required");
  const parts = document["name"] ?? {};
  if (!isObject(parts)) return refuse("invalidValue", "name: expected an object");
  const nameOf = (value: unknown, place: string) => readText(value, place, TEXT_LIMITS.name);
  const givenName = nameOf(parts["givenName"], "name.givenName");
  const familyName = nameOf(parts["familyName"], "name.familyName");
  const name =
    nameOf(document["displayName"], "displayName") ??
    nameOf(parts["formatted"], "name.formatted") ??
    joinNames(givenName, familyName) ??
    userName;
  const nameFault = findNameFault(name);
  if (nameFault !== undefined) return refuse("invalidValue", `displayName: ${nameFault}`);
  const email = findAddress(document["emails"]) ?? userName;
  if (findEmailFault(email) !== undefined)
    return refuse("invalidValue", "emails: expected an e-mail address such as ada@example.com");
  const externalId = readText(document["externalId"], "externalId", TEXT_LIMITS.email);
  return { userName, externalId, givenName, familyName, name, email, active: readActive(document["active"]) };
}

/** Returns a document to apply patches to. */
export const writeUser = (user: UserFields): Document => ({
  userName: user.userName,
  externalId: user.externalId ?? undefined,
  displayName: user.name,
  name: { givenName: user.givenName ?? undefined, familyName: user.familyName ?? undefined },
  emails: [{ value: user.email, type: "work", primary: true }],
  active: user.active,
});

/**
 * Reads a user from a patched document. Unless they are patched as well, the name follows a patched `name.formatted`, a
 * name composed of its parts follows changes to them, and an address equal to the `userName` follows changes to that.
 * Throws ScimFault for an invalid value.
 */
export function readPatchedUser(previous: UserFields, document: Document): UserFields {
  const { displayName, name, emails, ...others } = document;
  const parts = isObject(name) ? name : {};
  const isRenamed =
    parts["formatted"] !== undefined ||
    (parts["givenName"] ?? null) !== previous.givenName ||
    (parts["familyName"] ?? null) !== previous.familyName;
  const follows =
    displayName === previous.name &&
    isRenamed &&
    (parts["formatted"] !== undefined ||
      previous.name === joinNames(previous.givenName, previous.familyName));
  const isSameAddress = foldEmail(findAddress(emails) ?? "") === foldEmail(previous.email);
  const moves = isSameAddress && isSameText(previous.userName, previous.email);
  return readUser({
    ...others,
    name,
    ...(!follows && { displayName }),
    ...(!moves && { emails }),
  });
}

export const isSameUser = (one: ActiveUserFields, other: ActiveUserFields): boolean =>
  (["userName", "externalId", "givenName", "familyName", "name", "email", "active"] as const).every(
    (field) => one[field] === other[field],
  );
