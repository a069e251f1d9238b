import { z } from "zod";
import { CBAM_QUARTERS } from "../../../domain/cbam/price.js";
import { CBAM_OBLIGATIONS, DECLARATION_STATUSES } from "../../../domain/compliance/cbam-declaration.js";
import { type CbamDeclarationFieldsFragment, graphql } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";
import { RULESET_EXAMPLE, rulesetShape } from "./estimate.js";
import { describeSums, exact, notices, SUMS_EXAMPLE, sums } from "./line.js";

/** The shape of a declaration in a list, which has no imports. */
export const listedShape = z
  .object({
    id: z.uuid(),
    year: z.int(),
    status: z.enum(DECLARATION_STATUSES),
    due_on: z.iso.date(),
    totals: z
      .object({
        mass_t: z.number().meta({ description: "Tonnes, without hydrogen and goods of a free origin." }),
        mass_t_exact: exact,
        ...sums,
      })
      .meta({ id: "CbamDeclarationTotals", description: "Those of the submission, else as they are now." }),
    obligation: z.enum(CBAM_OBLIGATIONS),
    notices,
    certificates_held: z.int().nullable().meta({ description: "On the account in the CBAM registry." }),
    holdings: z
      .array(
        z
          .object({
            quarter: z.enum(CBAM_QUARTERS),
            ends_on: z.iso.date(),
            certificates: z.int().meta({
              description: "50 % of the emissions embedded in imports since 1 January, rounded up.",
            }),
          })
          .meta({ id: "CbamHolding" }),
      )
      .meta({ description: "Certificates to hold at the ends of quarters, from 2027 on." }),
    ruleset: rulesetShape,
    import_count: z.int(),
    version: z.int(),
  })
  .meta({ id: "ListedCbamDeclaration" });

type Listed = z.infer<typeof listedShape>;

export const LISTED_EXAMPLE: Listed = {
  id: "f3a1c7de-2b64-4c55-8d0f-6a4f7a1c9e02",
  year: 2026,
  status: "draft",
  due_on: "2027-09-30",
  totals: { mass_t: 100, mass_t_exact: "100", ...SUMS_EXAMPLE },
  obligation: "surrender",
  notices: [],
  certificates_held: null,
  holdings: [],
  ruleset: RULESET_EXAMPLE,
  import_count: 1,
  version: 2,
};

graphql(`
  fragment CbamDeclarationFields on CbamDeclaration {
    id year status dueOn obligation notices certificatesHeld holdings { quarter endsOn certificates }
    massT massTExact embeddedEmissions embeddedEmissionsExact certificates certificatesExact costEur costEurExact
    certificatesToBuy
    rulesetAsOf rulesetDigest importCount version
  }
`);

/** A declaration of the graph in REST's spelling, without its imports. */
export const describeListed = (declaration: CbamDeclarationFieldsFragment): Listed => ({
  id: declaration.id,
  year: declaration.year,
  status: lowerCase(declaration.status),
  due_on: declaration.dueOn,
  totals: {
    mass_t: declaration.massT,
    mass_t_exact: declaration.massTExact,
    ...describeSums(declaration),
  },
  obligation: lowerCase(declaration.obligation),
  notices: [...declaration.notices],
  certificates_held: declaration.certificatesHeld ?? null,
  holdings: declaration.holdings.map(({ quarter, endsOn, certificates }) => ({
    quarter,
    ends_on: endsOn,
    certificates,
  })),
  ruleset: { as_of: declaration.rulesetAsOf, digest: declaration.rulesetDigest },
  import_count: declaration.importCount,
  version: declaration.version,
});
