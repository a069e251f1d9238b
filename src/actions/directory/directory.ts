import type { IncomingMessage } from "node:http";
import type { UserResources } from "../../domain/directory/service.js";
import type { RequestInfo } from "../../http/request-info.js";
import { admitDirectory, type DirectoryActing, type DirectoryContext } from "./admit.js";
import { changeUser, createUser, deleteUser, getUser, listUsers } from "./users.js";

/** Creates the functions of an organization's directory, which writes its members by SCIM. */
export function createDirectory(context: DirectoryContext) {
  const users: UserResources<DirectoryActing> = {
    list: listUsers,
    get: getUser,
    create: createUser,
    change: changeUser,
    remove: deleteUser,
  };
  return {
    users,
    admit: (request: RequestInfo, incoming: IncomingMessage) => admitDirectory(context, request, incoming),
  };
}
