import { readdir, readFile } from "node:fs/promises";

const ROLE = "gateway_writer";

/** Values of `/// @visible …`: the rows of a table that a caller can see. A model without that line is hidden. */
const VISIBILITIES = new Set([
  "own",
  "own and shared",
  "shared",
  "live own",
  "live shared",
  "mine",
  "own and mine",
  "hidden",
]);

interface Model {
  readonly name: string;
  readonly table: string;
  readonly visibility: string;
}

/** Reads the models of a Prisma schema. Throws if one has no `@@map` or an unknown visibility. */
function readModels(schema: string): Model[] {
  return Array.from(
    schema.matchAll(/((?:^\/\/\/.*\n)*)^model (\w+) \{\n([\s\S]*?)^\}/gm),
    ([, comment = "", name = "", body = ""]) => {
      const table = /^ {2}@@map\("(\w+)"\)$/m.exec(body)?.[1];
      if (!table) throw new Error(`schema.prisma: expected @@map("…") in the model ${name}, got none`);
      const visibility = /^\/\/\/ @visible (.+)$/m.exec(comment)?.[1] ?? "hidden";
      if (!VISIBILITIES.has(visibility)) {
        const expected = [...VISIBILITIES].join(", ");
        throw new Error(
          `schema.prisma: expected ${name} to be visible as one of ${expected}, got ${visibility}`,
        );
      }
      return { name, table, visibility };
    },
  );
}

/** Returns the role's rights to write after all migrations, such as `UPDATE (name) ON users`. */
function readRights(migrations: string): string[] {
  const rights = new Set<string>();
  const statements = migrations.matchAll(
    new RegExp(`^\\s*(GRANT|REVOKE) ([A-Z][^;]*?)\\sON ([^;]*?)\\s(?:TO|FROM) ${ROLE};`, "gm"),
  );
  for (const [, verb, privileges = "", tables = ""] of statements) {
    for (const table of tables.match(/\w+/g) ?? []) {
      for (const [, privilege = "", list] of privileges.matchAll(
        /(INSERT|UPDATE|DELETE)(?: \(([^)]*)\))?/g,
      )) {
        const columns = list?.match(/\w+/g);
        const named = columns?.map((column) => `${privilege} (${column}) ON ${table}`) ?? [
          `${privilege} ON ${table}`,
        ];
        // Revoking a right on a table also revokes it on its columns.
        const revoked = columns
          ? named
          : [...rights].filter((right) => right.startsWith(privilege) && right.endsWith(` ON ${table}`));
        if (verb === "GRANT") for (const right of named) rights.add(right);
        else for (const right of revoked) rights.delete(right);
      }
    }
  }
  return [...rights];
}

/** Returns a module with facts about tables from schema.prisma and the migrations. */
export async function createTables(prisma: string): Promise<string> {
  const models = readModels(await readFile(`${prisma}/schema.prisma`, "utf8"));
  const folders = (await readdir(`${prisma}/migrations`, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  const migrations = await Promise.all(
    folders.map((name) => readFile(`${prisma}/migrations/${name}/migration.sql`, "utf8")),
  );
  const by = (value: "table" | "visibility") =>
    JSON.stringify(Object.fromEntries(models.map((model) => [model.name, model[value]])), null, 2);
  return `/** Table of each Prisma model, from \`@@map\`. */
export const TABLES = ${by("table")} as const;

/** Rows of each model that a caller can see, from \`/// @visible\`. */
export const VISIBILITY = ${by("visibility")} as const;

/** Write permissions that the migrations grant to the role ${ROLE}. */
export const WRITER_RIGHTS: readonly string[] = ${JSON.stringify(readRights(migrations.join("\n")), null, 2)};
`;
}
