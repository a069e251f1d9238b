import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import { graphql, type V1ImportsQuery } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";

const importShape = z
  .object({
    id: z.guid(),
    file: z.string().meta({ description: "The file's name." }),
    imported_at: z.iso.datetime(),
    inserted: z.int().meta({ description: "Records that were new." }),
    updated: z.int().meta({ description: "Records whose values differed." }),
    already_present: z.int().meta({ description: "Records that were there already." }),
    facilities_created: z.int(),
    undone_at: z.iso.datetime().nullable().meta({ description: "Null unless it was undone." }),
  })
  .meta({ id: "Import" });

const EXAMPLE: z.infer<typeof importShape> = {
  id: "6a4d1f8e-5f2b-4c57-8f0e-2a1b3c4d5e6f",
  file: "march.csv",
  imported_at: "2026-11-20T10:00:00.000Z",
  inserted: 2,
  updated: 0,
  already_present: 1,
  facilities_created: 0,
  undone_at: null,
};

type Import = NonNullable<V1ImportsQuery["imports"]>["nodes"][number];

const describeImport = ({
  id,
  file,
  importedAt,
  added,
  updated,
  unchanged,
  facilitiesCreated,
  undoneAt,
}: Import) => ({
  id,
  file,
  imported_at: importedAt.toISOString(),
  inserted: added,
  updated,
  already_present: unchanged,
  facilities_created: facilitiesCreated,
  undone_at: undoneAt?.toISOString() ?? null,
});

/** The organization's imports. */
export const imports = [
  endpoint({
    path: "/emissions/imports",
    summary: "The organization's imports of files, latest first",
    scope: "read:emissions",
    operation: graphql(`
      query V1Imports($first: Int, $after: String) {
        imports(first: $first, after: $after) {
          nodes { id file importedAt added updated unchanged facilitiesCreated undoneAt }
          pageInfo { hasNextPage endCursor }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("Imports", importShape),
    example: { items: [EXAMPLE], next_cursor: null },
    reshape: ({ imports: { nodes, pageInfo } }) => ({
      items: nodes.map(describeImport),
      next_cursor: nextCursor(pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/emissions/imports/{id}/undo",
    summary: "Undo an import: remove the records that it added, and restore those that it updated",
    scope: "write:emissions",
    params: z.object({ id: uuidShape }),
    failures: ["CONFLICT"],
    operation: graphql(`
      mutation V1UndoImport($id: UUID!) {
        undoImport(id: $id) {
          import { id file importedAt added updated unchanged facilitiesCreated undoneAt }
          removed restored kept facilitiesRemoved alreadyUndone
        }
      }
    `),
    variables: ({ params: { id } }) => ({ id }),
    data: z
      .object({
        import: importShape,
        removed: z.int().meta({ description: "Records that it had added, or brought back." }),
        restored: z.int().meta({ description: "Records that it had updated, as they were before." }),
        kept: z
          .int()
          .meta({ description: "Records that were changed or removed since, and stay as they are." }),
        facilities_removed: z.int(),
        already_undone: z.boolean().meta({ description: "Whether it had been undone before." }),
      })
      .meta({ id: "UndoneImport" }),
    example: {
      import: { ...EXAMPLE, undone_at: "2026-11-20T10:05:00.000Z" },
      removed: 2,
      restored: 0,
      kept: 0,
      facilities_removed: 0,
      already_undone: false,
    },
    reshape: ({
      undoImport: { import: undone, removed, restored, kept, facilitiesRemoved, alreadyUndone },
    }) => ({
      import: describeImport(undone),
      removed,
      restored,
      kept,
      facilities_removed: facilitiesRemoved,
      already_undone: alreadyUndone,
    }),
  }),
];
