import { type Context, requireAccess } from "../../../access/context.js";
import { type ActorContext, requireActorContext } from "../../../actions/actor-context.js";
import { assessImports } from "../../../actions/cbam/apply-rules.js";
import { addImport, addImports, removeImport, updateImport } from "../../../actions/cbam/cbam-imports.js";
import {
  amendDeclaration,
  changeDeclaration,
  createDeclaration,
  submitDeclaration,
} from "../../../actions/cbam/declarations.js";
import {
  countDeclarations,
  type DeclarationRow,
  type ImportedRow,
  listDeclarations,
} from "../../../data/compliance/cbam.js";
import { MAX_CBAM_LINES } from "../../../domain/cbam/line.js";
import { type AssessedImport, type Assessment, dueOn } from "../../../domain/compliance/cbam-declaration.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireSafe, requireSize } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { toFloat } from "../floats.js";

const findDeclaration = (context: Context, id: string) =>
  requireAccess(context).loaders.cbamDeclaration(id.toLowerCase());

/** Returns a declaration that the current mutation has just written. */
async function requireDeclaration(context: Context, id: string): Promise<DeclarationRow> {
  const declaration = await findDeclaration(context, id);
  if (declaration === null)
    throw new Error(`the CBAM declaration ${id} was deleted right after it was written`);
  return declaration;
}

/** Runs an action on a declaration, and returns the changed declaration. */
const changed = async <Input>(
  context: Context,
  input: Input,
  change: (caller: ActorContext, input: Input) => Promise<string>,
) => ({ declaration: await requireDeclaration(context, await change(requireActorContext(context), input)) });

const importsOf = ({ id }: DeclarationRow, context: Context) =>
  requireAccess(context).loaders.cbamImportsOf(id);

/**
 * Returns the assessment stored when the declaration was submitted; otherwise computes one from its current imports.
 */
async function assessmentOf(declaration: DeclarationRow, context: Context): Promise<Assessment> {
  if (declaration.assessment) return declaration.assessment;
  return requireAccess(context).loaders.shared(["cbamAssessment", declaration.id], async () =>
    assessImports(declaration.year, await importsOf(declaration, context), context.request),
  );
}

/** Returns the result for an import from the assessment of its declaration; null if none is stored. */
async function assessedOf(
  { id, declarationId }: ImportedRow,
  context: Context,
): Promise<AssessedImport | null> {
  const { loaders } = requireAccess(context);
  const assessed = await loaders.shared(["cbamAssessedImports", declarationId], async () => {
    const declaration = await requireDeclaration(context, declarationId);
    const [imports, assessment] = await Promise.all([
      importsOf(declaration, context),
      assessmentOf(declaration, context),
    ]);
    return new Map(imports.map((imported, index) => [imported.id, assessment.imports?.[index] ?? null]));
  });
  return assessed.get(id) ?? null;
}

/** Declarations under the EU's Carbon Border Adjustment Mechanism. */
export const cbamDeclarations = {
  Query: { cbamDeclaration: (_parent, { id }, context) => findDeclaration(context, id) },
  Compliance: {
    cbamDeclarations(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "cbamDeclarations",
        parameters: [],
        read: (page) => listDeclarations(access.tenant, page),
        count: () => countDeclarations(access.tenant),
        toNode: itself,
      });
    },
  },
  CbamDeclaration: {
    dueOn: ({ year }) => dueOn(year),
    imports: async (declaration, { first }, context) =>
      (await importsOf(declaration, context)).slice(0, requireSize("first", first, MAX_CBAM_LINES)),
    importCount: async (declaration, _args, context) => (await importsOf(declaration, context)).length,
    massT: async (declaration, _args, context) => Number((await assessmentOf(declaration, context)).massT),
    massTExact: async (declaration, _args, context) => (await assessmentOf(declaration, context)).massT,
    embeddedEmissions: async (declaration, _args, context) =>
      Number((await assessmentOf(declaration, context)).embeddedEmissions),
    embeddedEmissionsExact: async (declaration, _args, context) =>
      (await assessmentOf(declaration, context)).embeddedEmissions,
    certificates: async (declaration, _args, context) =>
      Number((await assessmentOf(declaration, context)).certificates),
    certificatesExact: async (declaration, _args, context) =>
      (await assessmentOf(declaration, context)).certificates,
    costEur: async (declaration, _args, context) =>
      Number((await assessmentOf(declaration, context)).costEur),
    costEurExact: async (declaration, _args, context) => (await assessmentOf(declaration, context)).costEur,
    certificatesToBuy: async (declaration, _args, context) =>
      requireSafe("certificatesToBuy", BigInt((await assessmentOf(declaration, context)).certificatesToBuy)),
    costToBuyEur: async (declaration, _args, context) =>
      toFloat((await assessmentOf(declaration, context)).costToBuyEur ?? null),
    costToBuyEurExact: async (declaration, _args, context) =>
      (await assessmentOf(declaration, context)).costToBuyEur ?? null,
    obligation: async (declaration, _args, context) => (await assessmentOf(declaration, context)).obligation,
    notices: async (declaration, _args, context) => (await assessmentOf(declaration, context)).notices,
    certificatesHeld: ({ certificatesHeld: held }) =>
      held === null ? null : requireSafe("certificatesHeld", BigInt(held)),
    holdings: async (declaration, _args, context) => (await assessmentOf(declaration, context)).holdings,
    rulesetAsOf: async (declaration, _args, context) =>
      (await assessmentOf(declaration, context)).rulesetAsOf,
    rulesetDigest: async (declaration, _args, context) =>
      (await assessmentOf(declaration, context)).rulesetDigest,
  },
  CbamHolding: {
    certificates: ({ certificates }) => requireSafe("certificates", BigInt(certificates)),
  },
  CbamImport: {
    massT: ({ massT }) => Number(massT),
    massTExact: ({ massT }) => massT,
    directTco2ePerT: ({ directTco2ePerT }) => toFloat(directTco2ePerT),
    indirectTco2ePerT: ({ indirectTco2ePerT }) => toFloat(indirectTco2ePerT),
    reductionTco2e: ({ reductionTco2e }) => Number(reductionTco2e),
    name: async (imported, _args, context) => (await assessedOf(imported, context))?.name ?? null,
    embeddedEmissions: async (imported, _args, context) =>
      toFloat((await assessedOf(imported, context))?.embeddedEmissions ?? null),
    certificates: async (imported, _args, context) =>
      toFloat((await assessedOf(imported, context))?.certificates ?? null),
    costEur: async (imported, _args, context) =>
      toFloat((await assessedOf(imported, context))?.costEur ?? null),
  },
  CbamPrecursor: { massT: ({ massT }) => Number(massT) },
  CreateCbamDeclarationPayload: { declaration: ({ id }, _args, context) => requireDeclaration(context, id) },

  Mutation: {
    createCbamDeclaration: (_parent, { input }, context) =>
      createDeclaration(requireActorContext(context), input.year),
    updateCbamDeclaration: (_parent, { input }, context) => changed(context, input, changeDeclaration),
    addCbamImport: async (_parent, { input }, context) => ({
      import: await addImport(requireActorContext(context), input),
    }),
    addCbamImports: (_parent, { input }, context) =>
      changed(context, input, async (caller, given) => {
        await addImports(caller, given);
        return given.declarationId;
      }),
    updateCbamImport: async (_parent, { input }, context) => ({
      import: await updateImport(requireActorContext(context), input),
    }),
    removeCbamImport: (_parent, { input }, context) => changed(context, input, removeImport),
    submitCbamDeclaration: (_parent, { input }, context) => changed(context, input, submitDeclaration),
    amendCbamDeclaration: (_parent, { input }, context) => changed(context, input, amendDeclaration),
  },
} satisfies Resolvers;
