import { z } from "zod";
import { CBAM_BASES } from "../../../domain/cbam/line.js";
import { CBAM_QUARTERS } from "../../../domain/cbam/price.js";
import { type CbamImportFieldsFragment, graphql } from "../../../generated/operations.js";
import { lowerCase } from "../../ext/lower-case.js";
import { exact } from "./line.js";

/** The shape of an import in a declaration. */
export const importShape = z
  .object({
    id: z.uuid(),
    declaration_id: z.uuid(),
    quarter: z.enum(CBAM_QUARTERS),
    cn_code: z.string(),
    country: z.string(),
    mass_t: z.number(),
    mass_t_exact: exact,
    basis: z.enum(CBAM_BASES),
    route: z.string().nullable(),
    good: z.string().nullable(),
    direct_tco2e_per_t: z.number().nullable(),
    indirect_tco2e_per_t: z.number().nullable(),
    precursors: z.array(
      z
        .object({ cn_code: z.string(), mass_t: z.number(), route: z.string().nullable() })
        .meta({ id: "CbamPrecursor" }),
    ),
    reduction_tco2e: z.number(),
  })
  .meta({ id: "CbamImport" });

export const IMPORT_EXAMPLE: z.infer<typeof importShape> = {
  id: "7d0c9c0e-1a0f-4c53-9f6b-5b9a0b1f6a11",
  declaration_id: "f3a1c7de-2b64-4c55-8d0f-6a4f7a1c9e02",
  quarter: "Q3",
  cn_code: "72083600",
  country: "IN",
  mass_t: 100,
  mass_t_exact: "100",
  basis: "default",
  route: null,
  good: null,
  direct_tco2e_per_t: null,
  indirect_tco2e_per_t: null,
  precursors: [],
  reduction_tco2e: 0,
};

graphql(`
  fragment CbamImportFields on CbamImport {
    id declarationId quarter cnCode country massT massTExact basis route good directTco2ePerT indirectTco2ePerT
    precursors { cnCode massT route } reductionTco2e
  }
`);

/** An import of the graph in REST's spelling. */
export const describeImport = (imported: CbamImportFieldsFragment): z.infer<typeof importShape> => ({
  id: imported.id,
  declaration_id: imported.declarationId,
  quarter: imported.quarter,
  cn_code: imported.cnCode,
  country: imported.country,
  mass_t: imported.massT,
  mass_t_exact: imported.massTExact,
  basis: lowerCase(imported.basis),
  route: imported.route ?? null,
  good: imported.good ?? null,
  direct_tco2e_per_t: imported.directTco2ePerT ?? null,
  indirect_tco2e_per_t: imported.indirectTco2ePerT ?? null,
  precursors: imported.precursors.map(({ cnCode, massT, route }) => ({
    cn_code: cnCode,
    mass_t: massT,
    route: route ?? null,
  })),
  reduction_tco2e: imported.reductionTco2e,
});
