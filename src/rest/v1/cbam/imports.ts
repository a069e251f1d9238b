import { z } from "zod";
import { uuidShape } from "../../../catalogue/values.js";
import { CBAM_QUARTERS } from "../../../domain/cbam/price.js";
import { graphql } from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { DECLARATION_EXAMPLE, declarationShape, describeDeclaration, version } from "./declarations.js";
import { goods, toGoods } from "./goods.js";
import { describeImport, IMPORT_EXAMPLE, importShape } from "./import.js";

const id = uuidShape;

/** What was imported in the year of a declaration. */
export const cbamImports = [
  endpoint({
    method: "POST",
    path: "/cbam/declarations/{id}/imports",
    summary: "Adds an import to a CBAM declaration that is not submitted",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestAddCbamImport($declaration: UUID!, $quarter: CbamQuarter!, $goods: CbamLineInput!) {
        addCbamImport(declaration: $declaration, quarter: $quarter, goods: $goods) { ...CbamImportFields }
      }
    `),
    params: z.object({ id }),
    body: z.strictObject({ quarter: z.enum(CBAM_QUARTERS), ...goods }),
    variables: ({ params, body: { quarter, ...given } }) => ({
      declaration: params.id,
      quarter,
      goods: toGoods(given),
    }),
    data: importShape,
    example: IMPORT_EXAMPLE,
    reshape: ({ addCbamImport }) => describeImport(addCbamImport),
    createdId: (added) => added.id,
  }),
  endpoint({
    method: "DELETE",
    path: "/cbam/declarations/{id}/imports/{import_id}",
    summary:
      "Removes an import from a CBAM declaration that is not submitted, and answers with the declaration",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestRemoveCbamImport($declaration: UUID!, $id: UUID!, $expectedVersion: Int) {
        removeCbamImport(declaration: $declaration, id: $id, expectedVersion: $expectedVersion) {
          ...CbamDeclarationFields imports(first: 200) { ...CbamImportFields }
        }
      }
    `),
    params: z.object({ id, import_id: id }),
    variables: ({ params, expectedVersion }) => ({
      declaration: params.id,
      id: params.import_id,
      expectedVersion,
    }),
    data: declarationShape,
    example: DECLARATION_EXAMPLE,
    reshape: ({ removeCbamImport }) => describeDeclaration(removeCbamImport),
    version,
  }),
];
