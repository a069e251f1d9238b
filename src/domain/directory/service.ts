import type { Condition } from "./filter.js";
import type { DirectoryGroup, GroupFields } from "./group.js";
import type { DirectoryUser, UserFields } from "./user.js";

export interface ListRequest {
  readonly conditions: readonly Condition[];
  /** Number of items before the page. */
  readonly offset: number;
  readonly count: number;
  /** False if the answer has no members of groups. */
  readonly withMembers: boolean;
}

export interface ListPage<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Checks the version that a client expects. Throws a fault if the resource has another one. */
export type RequireVersion = (version: number) => void;

/** Resources of one type, for an admitted caller. */
export interface Resources<Caller, Item, Fields> {
  list(caller: Caller, request: ListRequest): Promise<ListPage<Item>>;
  /** Throws a fault for an unknown one. */
  get(caller: Caller, id: string): Promise<Item>;
  create(caller: Caller, fields: Fields): Promise<Item>;
  /** Changes one to what `compute` returns for the present one. */
  change(
    caller: Caller,
    id: string,
    requireVersion: RequireVersion,
    compute: (former: Item) => Fields,
  ): Promise<Item>;
  remove(caller: Caller, id: string, requireVersion: RequireVersion): Promise<void>;
}

export type UserResources<Caller> = Resources<Caller, DirectoryUser, UserFields>;
export type GroupResources<Caller> = Resources<Caller, DirectoryGroup, GroupFields>;
