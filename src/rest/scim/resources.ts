import { type Document, type ResourceType, readDocument, URN } from "../../domain/directory/attributes.js";
import {
  type DirectoryGroup,
  type GroupFields,
  readGroup,
  writeGroup,
} from "../../domain/directory/group.js";
import { applyPatch, readPatch } from "../../domain/directory/patch.js";
import {
  type DirectoryUser,
  readPatchedUser,
  readUser,
  type UserFields,
  writeUser,
} from "../../domain/directory/user.js";

/** A stored resource. */
interface Stored {
  readonly id: string;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Format of the resources of one type. */
export interface Form<Item extends Stored, Fields> {
  readonly type: ResourceType;
  /** Reads a whole resource. */
  read(body: unknown): Fields;
  /** Reads a patch, and returns the function that applies it. */
  readPatch(body: unknown): (former: Item) => Fields;
  /** Writes the attributes of a resource. */
  write(item: Item, base: string): Document;
}

export const etagOf = (version: number) => `W/"${version}"`;

/** Writes a whole resource with its metadata. */
export function writeResource<Item extends Stored>(
  { type, write }: Pick<Form<Item, unknown>, "type" | "write">,
  item: Item,
  base: string,
): Document {
  const { id, version, createdAt, updatedAt } = item;
  return {
    schemas: [URN[type]],
    id,
    ...write(item, base),
    meta: {
      resourceType: type,
      created: createdAt.toISOString(),
      lastModified: updatedAt.toISOString(),
      location: `${base}/${type}s/${id}`,
      version: etagOf(version),
    },
  };
}

export const USERS: Form<DirectoryUser, UserFields> = {
  type: "User",
  read: (body) => readUser(readDocument("User", body)),
  readPatch(body) {
    const operations = readPatch("User", body);
    return (former) => readPatchedUser(former, applyPatch(writeUser(former), operations));
  },
  write: (user, base) => ({
    ...(user.externalId !== null && { externalId: user.externalId }),
    userName: user.userName,
    name: {
      formatted: user.name,
      ...(user.familyName !== null && { familyName: user.familyName }),
      ...(user.givenName !== null && { givenName: user.givenName }),
    },
    displayName: user.name,
    active: user.active,
    emails: [{ value: user.email, type: "work", primary: true }],
    groups: user.groups.map(({ id, displayName }) => ({
      value: id,
      display: displayName,
      $ref: `${base}/Groups/${id}`,
      type: "direct",
    })),
  }),
};

export const GROUPS: Form<DirectoryGroup, GroupFields> = {
  type: "Group",
  read: (body) => readGroup(readDocument("Group", body)),
  readPatch(body) {
    const operations = readPatch("Group", body);
    return (former) => readGroup(applyPatch(writeGroup(former), operations));
  },
  write: ({ displayName, externalId, members }, base) => ({
    ...(externalId !== null && { externalId }),
    displayName,
    members: Array.from(members, (id) => ({ value: id, $ref: `${base}/Users/${id}`, type: "User" })),
  }),
};
