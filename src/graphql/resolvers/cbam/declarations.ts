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
import { requireRow } from "../require-row.js";

const findDeclaration = (context: Context, id: string) =>
  requireAccess(context).loaders.cbamDeclaration(id.toLowerCase());

const requireDeclaration = async (context: Context, id: string): Promise<DeclarationRow> =>
  requireRow(await findDeclaration(context, id), `CBAM declaration ${id}`);

/** Runs an action on a declaration, and returns the changed declaration. */
const runAction = async <Input>(
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

/** Returns the result for an import from the assessment of its declaration; null if the assessment lacks it. */
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

/** Creates the resolver of a declaration's figure, which comes from its assessment. */
const assessed =
  <Value>(read: (assessment: Assessment) => Value) =>
  async (declaration: DeclarationRow, _args: unknown, context: Context) =>
    read(await assessmentOf(declaration, context));

/** Creates the resolver of an import's figure, which comes from the assessment of its declaration. */
const assessedImport =
  (read: (assessed: AssessedImport) => string) =>
  async (imported: ImportedRow, _args: unknown, context: Context) => {
    const found = await assessedOf(imported, context);
    return found && Number(read(found));
  };

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
    massT: assessed(({ massT }) => Number(massT)),
    massTExact: assessed(({ massT }) => massT),
    embeddedEmissions: assessed(({ embeddedEmissions }) => Number(embeddedEmissions)),
    embeddedEmissionsExact: assessed(({ embeddedEmissions }) => embeddedEmissions),
    certificates: assessed(({ certificates }) => Number(certificates)),
    certificatesExact: assessed(({ certificates }) => certificates),
    costEur: assessed(({ costEur }) => Number(costEur)),
    costEurExact: assessed(({ costEur }) => costEur),
    certificatesToBuy: assessed(({ certificatesToBuy }) =>
      requireSafe("certificatesToBuy", BigInt(certificatesToBuy)),
    ),
    costToBuyEur: assessed(({ costToBuyEur = null }) => toFloat(costToBuyEur)),
    costToBuyEurExact: assessed(({ costToBuyEur = null }) => costToBuyEur),
    obligation: assessed(({ obligation }) => obligation),
    notices: assessed(({ notices }) => notices),
    certificatesHeld: ({ certificatesHeld: held }) =>
      held === null ? null : requireSafe("certificatesHeld", BigInt(held)),
    holdings: assessed(({ holdings }) => holdings),
    rulesetAsOf: assessed(({ rulesetAsOf }) => rulesetAsOf),
    rulesetDigest: assessed(({ rulesetDigest }) => rulesetDigest),
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
    embeddedEmissions: assessedImport(({ embeddedEmissions }) => embeddedEmissions),
    certificates: assessedImport(({ certificates }) => certificates),
    costEur: assessedImport(({ costEur }) => costEur),
  },
  CbamPrecursor: { massT: ({ massT }) => Number(massT) },
  CreateCbamDeclarationPayload: { declaration: ({ id }, _args, context) => requireDeclaration(context, id) },

  Mutation: {
    createCbamDeclaration: (_parent, { input }, context) =>
      createDeclaration(requireActorContext(context), input.year),
    updateCbamDeclaration: (_parent, { input }, context) => runAction(context, input, changeDeclaration),
    addCbamImport: async (_parent, { input }, context) => ({
      import: await addImport(requireActorContext(context), input),
    }),
    addCbamImports: (_parent, { input }, context) =>
      runAction(context, input, async (caller, given) => {
        await addImports(caller, given);
        return given.declarationId;
      }),
    updateCbamImport: async (_parent, { input }, context) => ({
      import: await updateImport(requireActorContext(context), input),
    }),
    removeCbamImport: (_parent, { input }, context) => runAction(context, input, removeImport),
    submitCbamDeclaration: (_parent, { input }, context) => runAction(context, input, submitDeclaration),
    amendCbamDeclaration: (_parent, { input }, context) => runAction(context, input, amendDeclaration),
  },
} satisfies Resolvers;
