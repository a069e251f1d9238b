import type { Condition } from "./filter.js";
import type { DirectoryGroup, GroupFields } from "./group.js";
import type { DirectoryUser, UserFields } from "./user.js";

export interface ListRequest {
  readonly conditions: readonly Condition[];
  /** Number of items before the page. */
  readonly offset: number;
  readonly count: number;
  /** False if the response leaves out the members of groups. */
  readonly withMembers: boolean;
}

export interface ListPage<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Throws ScimFault unless `version` is the one the client expects. */
export type RequireVersion = (version: number) => void;

/** Operations on resources of one type. */
export interface Resources<Caller, Item, Fields> {
  list(caller: Caller, request: ListRequest): Promise<ListPage<Item>>;
  /** Throws ScimFault if the resource does not exist. */
  get(caller: Caller, id: string): Promise<Item>;
  create(caller: Caller, fields: Fields): Promise<Item>;
  /** Replaces a resource's fields with those that `compute` returns. */
  change(
    caller: Caller,
    id: string,
    requireVersion: RequireVersion,
    compute: (previous: Item) => Fields,
  ): Promise<Item>;
  remove(caller: Caller, id: string, requireVersion: RequireVersion): Promise<void>;
}

export type UserResources<Caller> = Resources<Caller, DirectoryUser, UserFields>;
export type GroupResources<Caller> = Resources<Caller, DirectoryGroup, GroupFields>;
