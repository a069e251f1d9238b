import { type Context, requireAccess } from "../../src/access/context.js";
import type { Extension } from "../../src/app/surfaces.js";
import type { Database } from "../../src/data/database/types.js";
import { lastTwelveMonths } from "../../src/domain/window.js";
import { addFacility, addRecord } from "./fixtures.js";

interface RecordInput {
  readonly tonnes: number;
  readonly fails?: boolean | null;
}

/** Creates test mutations in the project's graph. They read before they write, and return the changed emissions. */
export function createTestMutations() {
  let database: Database | undefined;
  let calls = 0;
  const writer = (context: Context) => {
    if (!database) throw new Error("writing needs a database");
    const { principal, loaders } = requireAccess(context);
    return { database, slug: principal.organization.slug, loaders };
  };
  const resolvers = {
    Mutation: {
      async addRecord(_parent: unknown, { tonnes, fails }: RecordInput, context: Context) {
        calls += 1;
        const parent = { range: lastTwelveMonths(context.request.now), filter: {}, isDefault: true };
        const { slug, loaders, ...to } = writer(context);
        await loaders.emissions({ range: parent.range, filter: parent.filter });
        await addRecord(to.database, slug, { co2eTonnes: tonnes });
        if (fails) throw new Error("failed after it wrote");
        return parent;
      },
      async nameFacility(_parent: unknown, { code, name }: { code: string; name: string }, context: Context) {
        calls += 1;
        const { slug, loaders, ...to } = writer(context);
        const found = await loaders.facilityByCode(code);
        if (!found) await addFacility(to.database, slug, { code, name });
        else await to.database.prisma.facility.updateMany({ where: { id: found.id }, data: { name } });
        return { range: lastTwelveMonths(context.request.now), filter: {}, isDefault: true };
      },
    },
  };
  const extension: Extension = {
    typeDefs: `
      extend type Mutation {
        addRecord(tonnes: Int!, fails: Boolean): Emissions @requiresScopes(scopes: [["read:emissions"]])
        nameFacility(code: String!, name: String!): Emissions @requiresScopes(scopes: [["read:emissions"]])
      }`,
    resolvers: [resolvers],
  };
  return {
    extension,
    /** Sets the database of the mutations. */
    writeTo: (opened: Database) => {
      database = opened;
    },
    /** Returns the number of resolver calls. */
    calls: () => calls,
  };
}
