import { isObject } from "../is-object.js";
import { TEXT_LIMITS } from "../texts/text-limits.js";
import { type Document, toText } from "./attributes.js";
import { refuse } from "./fault.js";
import { readText } from "./user.js";

export const MAX_MEMBERS = 10_000;

/** Fields of a group that a directory sets. */
export interface GroupFields {
  readonly displayName: string;
  readonly externalId: string | null;
  /** Ids of users. */
  readonly members: ReadonlySet<string>;
}

/** A group managed by a directory. */
export interface DirectoryGroup extends GroupFields {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Reads the ids of members. Throws ScimFault for an item without an id, and for a nested group. */
export function readMembers(items: readonly unknown[]): Set<string> {
  return new Set(
    items.map((item) => {
      const { value, type } = isObject(item) ? (item as Document) : {};
      if (typeof value !== "string")
        return refuse("invalidValue", "members.value: expected the id of a user");
      if (toText(type).toLowerCase() === "group")
        return refuse("invalidValue", "members.type: expected User; nested groups are not supported");
      return value.toLowerCase();
    }),
  );
}

/** Reads a group from a document. Throws ScimFault for an invalid value. */
export function readGroup({ displayName: named, externalId, members: listed }: Document): GroupFields {
  const displayName = readText(named, "displayName", TEXT_LIMITS.email);
  if (displayName === null) return refuse("invalidValue", "displayName: required");
  const members =
    listed instanceof Set ? listed : readMembers((listed as unknown[] | null | undefined) ?? []);
  if (members.size > MAX_MEMBERS)
    refuse("invalidValue", `members: at most ${MAX_MEMBERS} (got ${members.size})`);
  return { displayName, externalId: readText(externalId, "externalId", TEXT_LIMITS.email), members };
}

/** Returns a document to apply patches to, with a copy of the members. */
export const writeGroup = ({ displayName, externalId, members }: GroupFields): Document => ({
  displayName,
  externalId: externalId ?? undefined,
  members: new Set(members),
});
