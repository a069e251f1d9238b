import { type Context, requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { loadSampleData } from "../../../actions/bundle/sample-data.js";
import { undoImport } from "../../../actions/imports/undo-import.js";
import {
  countOwnImports,
  findOwnImport,
  type ImportRow,
  listOwnImports,
} from "../../../data/imports/imports.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { requireRow } from "../require-row.js";

const requireImport = async (context: Context, id: string): Promise<ImportRow> =>
  requireRow(await findOwnImport(requireAccess(context).tenant, id), `import ${id}`);

/** The organization's imports. */
export const imports = {
  Query: {
    imports(_parent, { isSample = null, ...args }, context) {
      const access = requireAccess(context);
      const { tenant } = access;
      return readConnection(access, args, {
        name: "imports",
        parameters: isSample === null ? [] : [isSample],
        read: (page) => listOwnImports(tenant, { isSample }, page),
        count: () => countOwnImports(tenant, { isSample }),
        toNode: itself,
      });
    },
  },

  UndoImportPayload: {
    import: ({ id }, _args, context) => requireImport(context, id),
    isAlreadyUndone: ({ alreadyUndone }) => alreadyUndone,
  },

  Mutation: {
    async loadSampleData(_parent, { input: { months } }, context) {
      const id = await loadSampleData(requireActorContext(context), months);
      return { import: await requireImport(context, id) };
    },
    undoImport(_parent, { input: { id } }, context) {
      const { resources, now, writer } = requireActorContext(context);
      return undoImport(resources.database, id, now, writer);
    },
  },
} satisfies Resolvers;
