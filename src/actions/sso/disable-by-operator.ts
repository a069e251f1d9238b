import { write } from "../../data/database/transaction.js";
import type { Database } from "../../data/database/types.js";
import { lockConnection, updateState } from "../../data/sso/write-connections.js";
import { ActionError } from "../action-error.js";
import { requireOrganizationId } from "../people/organizations.js";

/** Disables the provider of an organization, and ends its enforcement. Throws ActionError if none exists. */
export const disableByOperator = (
  database: Database,
  organization: string,
): Promise<{ organization: string }> =>
  write(
    database,
    "sso disable",
    async (sql) => {
      const id = await requireOrganizationId(sql, organization);
      const connection = await lockConnection(sql, id);
      if (connection === null)
        throw new ActionError(
          "NOT_FOUND",
          "singleSignOn",
          `The organization "${organization}" has no identity provider.`,
        );
      await updateState(sql, id, { ...connection, enabledAt: null, enforcedAt: null, breakGlass: [] });
      return { organization };
    },
    "sso.disabled",
  );
