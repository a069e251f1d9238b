import type { IncomingMessage } from "node:http";
import type { GroupResources, UserResources } from "../../domain/directory/service.js";
import type { RequestInfo } from "../../http/request-info.js";
import { admitDirectory, type DirectoryCaller, type DirectoryContext } from "./admit.js";
import { changeGroup, createGroup, deleteGroup, getGroup, listGroups } from "./directory-groups.js";
import { changeUser, createUser, deleteUser, getUser, listUsers } from "./directory-users.js";

/** Creates the SCIM functions with which a directory manages an organization's members. */
export function createDirectory(context: DirectoryContext) {
  const users: UserResources<DirectoryCaller> = {
    list: listUsers,
    get: getUser,
    create: createUser,
    change: changeUser,
    remove: deleteUser,
  };
  const groups: GroupResources<DirectoryCaller> = {
    list: listGroups,
    get: getGroup,
    create: createGroup,
    change: changeGroup,
    remove: deleteGroup,
  };
  return {
    users,
    groups,
    admit: (request: RequestInfo, incoming: IncomingMessage) => admitDirectory(context, request, incoming),
  };
}
