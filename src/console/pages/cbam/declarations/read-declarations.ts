import {
  type ConsoleCbamDeclarationQuery,
  type ConsoleCbamDeclarationsQuery,
  graphql,
} from "../../../../generated/console.js";

/** A page of declarations with their totals. */
export const READ_DECLARATIONS = graphql(`
  query ConsoleCbamDeclarations($after: String) {
    compliance {
      cbamDeclarations(first: 20, after: $after) {
        nodes { id year status dueOn importCount embeddedEmissions certificatesToBuy costToBuyEur obligation }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

/** A declaration with its imports. */
export const READ_DECLARATION = graphql(`
  query ConsoleCbamDeclaration($id: UUID!) {
    cbamDeclaration(id: $id) {
      id
      year
      status
      dueOn
      massT
      embeddedEmissions
      certificatesToBuy
      costToBuyEur
      obligation
      notices
      certificatesHeld
      holdings { quarter endsOn certificates }
      rulesetAsOf
      rulesetDigest
      version
      imports(first: 200) {
        id
        quarter
        cnCode
        country
        massT
        basis
        route
        good
        directTco2ePerT
        indirectTco2ePerT
        precursors { cnCode massT route }
        reductionTco2e
        name
        embeddedEmissions
        certificates
        costEur
      }
    }
  }
`);

/** A declaration in the list. */
export type ListedDeclaration = NonNullable<
  ConsoleCbamDeclarationsQuery["compliance"]
>["cbamDeclarations"]["nodes"][number];

/** A declaration with its imports. */
export type Declaration = NonNullable<ConsoleCbamDeclarationQuery["cbamDeclaration"]>;

/** Goods of one kind imported in a quarter. */
export type Import = Declaration["imports"][number];
