import { z } from "zod";
import { listQuery, nextCursor, pageOf, pageShape } from "../../../catalogue/list.js";
import { uuidShape } from "../../../catalogue/values.js";
import {
  type CbamDeclarationFieldsFragment,
  type CbamImportFieldsFragment,
  graphql,
} from "../../../generated/operations.js";
import { endpoint } from "../../endpoint.js";
import { describeListed, LISTED_EXAMPLE, listedShape } from "./declaration.js";
import { describeImport, IMPORT_EXAMPLE, importShape } from "./import.js";

/** The shape of a declaration. */
export const declarationShape = listedShape
  .extend({ imports: z.array(importShape) })
  .meta({ id: "CbamDeclaration" });
type Declaration = z.infer<typeof declarationShape>;

export const DECLARATION_EXAMPLE: Declaration = { ...LISTED_EXAMPLE, imports: [IMPORT_EXAMPLE] };

/** A declaration of the graph in REST's spelling. */
export const describeDeclaration = ({
  imports,
  ...declaration
}: CbamDeclarationFieldsFragment & {
  readonly imports: readonly CbamImportFieldsFragment[];
}): Declaration => ({ ...describeListed(declaration), imports: imports.map(describeImport) });

export const version = (declaration: Declaration) => declaration.version;
const params = z.object({ id: uuidShape });
const year = z.int32().meta({ description: "Year of the imports, 2026 to 2034." });
/** What the endpoints that answer with one declaration have in common. */
const answer = {
  data: declarationShape,
  example: DECLARATION_EXAMPLE,
  version,
  // The figures that its totals are computed with have a version of their own.
  isVersioned: () => false,
};

/** Declarations under the EU's Carbon Border Adjustment Mechanism. */
export const cbamDeclarations = [
  endpoint({
    path: "/cbam/declarations",
    summary: "CBAM declarations by year, without their imports",
    scope: "read:compliance",
    operation: graphql(`
      query RestCbamDeclarations($first: Int, $after: String) {
        compliance {
          cbamDeclarations(first: $first, after: $after) {
            nodes { ...CbamDeclarationFields }
            pageInfo { hasNextPage endCursor }
          }
        }
      }
    `),
    query: listQuery,
    variables: ({ query }) => pageOf(query),
    data: pageShape("CbamDeclarations", listedShape),
    example: { items: [LISTED_EXAMPLE], next_cursor: null },
    reshape: ({ compliance: { cbamDeclarations } }) => ({
      items: cbamDeclarations.nodes.map(describeListed),
      next_cursor: nextCursor(cbamDeclarations.pageInfo),
    }),
  }),
  endpoint({
    method: "POST",
    path: "/cbam/declarations",
    summary: "Begins the CBAM declaration of a year. The same again changes nothing",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestCreateCbamDeclaration($year: Int!) {
        createCbamDeclaration(year: $year) {
          declaration { ...CbamDeclarationFields imports(first: 200) { ...CbamImportFields } }
          isNew
        }
      }
    `),
    body: z.strictObject({ year }),
    variables: ({ body }) => body,
    reshape: ({ createCbamDeclaration: { declaration } }) => describeDeclaration(declaration),
    createdId: ({ id }, { createCbamDeclaration: { isNew } }) => (isNew ? id : undefined),
    mayExist: true,
    ...answer,
  }),
  endpoint({
    path: "/cbam/declarations/{id}",
    summary: "A CBAM declaration with its imports",
    scope: "read:compliance",
    operation: graphql(`
      query RestCbamDeclaration($id: UUID!) {
        cbamDeclaration(id: $id) { ...CbamDeclarationFields imports(first: 200) { ...CbamImportFields } }
      }
    `),
    params,
    variables: ({ params }) => params,
    reshape: ({ cbamDeclaration }) => describeDeclaration(cbamDeclaration),
    ...answer,
  }),
  endpoint({
    method: "PATCH",
    path: "/cbam/declarations/{id}",
    summary: "Changes the year of a draft, or the certificates that are held",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestUpdateCbamDeclaration($id: UUID!, $year: Int, $certificatesHeld: SafeInt, $expectedVersion: Int) {
        updateCbamDeclaration(
          id: $id, year: $year, certificatesHeld: $certificatesHeld, expectedVersion: $expectedVersion
        ) { ...CbamDeclarationFields imports(first: 200) { ...CbamImportFields } }
      }
    `),
    params,
    body: z.strictObject({
      year: year.optional(),
      certificates_held: z
        .int()
        .nullish()
        .meta({ description: "On the account in the CBAM registry; null if that is not known." }),
    }),
    variables: ({ params, body, expectedVersion }) => ({
      ...params,
      ...(body.year !== undefined && { year: body.year }),
      ...(body.certificates_held !== undefined && { certificatesHeld: body.certificates_held }),
      expectedVersion,
    }),
    reshape: ({ updateCbamDeclaration }) => describeDeclaration(updateCbamDeclaration),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/cbam/declarations/{id}/submit",
    summary: "Submits a CBAM declaration whose year is over: its totals stay as they are now",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestSubmitCbamDeclaration($id: UUID!, $expectedVersion: Int) {
        submitCbamDeclaration(id: $id, expectedVersion: $expectedVersion) {
          ...CbamDeclarationFields imports(first: 200) { ...CbamImportFields }
        }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ submitCbamDeclaration }) => describeDeclaration(submitCbamDeclaration),
    ...answer,
  }),
  endpoint({
    method: "POST",
    path: "/cbam/declarations/{id}/amend",
    summary: "Opens a submitted CBAM declaration, until it is submitted again",
    scope: "write:compliance",
    operation: graphql(`
      mutation RestAmendCbamDeclaration($id: UUID!, $expectedVersion: Int) {
        amendCbamDeclaration(id: $id, expectedVersion: $expectedVersion) {
          ...CbamDeclarationFields imports(first: 200) { ...CbamImportFields }
        }
      }
    `),
    params,
    variables: ({ params, expectedVersion }) => ({ ...params, expectedVersion }),
    reshape: ({ amendCbamDeclaration }) => describeDeclaration(amendCbamDeclaration),
    ...answer,
  }),
];
