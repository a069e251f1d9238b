import { type Context, requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { changeTarget, createTarget, deleteTarget } from "../../../actions/inventory/change-targets.js";
import { readTargetPaths } from "../../../actions/inventory/read-targets.js";
import { findTarget, listTargets, type TargetRow } from "../../../data/inventory/targets.js";
import type { TargetPath, TargetYear } from "../../../domain/inventory/target-path.js";
import { once } from "../../../domain/once.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { floatOf } from "../floats.js";

/** A target. Its path is computed only if selected. */
export interface ReductionTargetModel extends TargetRow {
  readonly computePath: () => Promise<TargetPath>;
}
export type ReductionTargetYearModel = TargetYear;

/** Returns targets that share the computation of their paths. */
function toModels(context: Context, targets: readonly TargetRow[]): ReductionTargetModel[] {
  const paths = once(() => readTargetPaths(requireAccess(context).tenant, targets, context.request.now));
  return targets.map((target, index) => ({
    ...target,
    computePath: async () => (await paths())[index] as TargetPath,
  }));
}

const toModel = (context: Context, target: TargetRow): ReductionTargetModel =>
  toModels(context, [target])[0] as ReductionTargetModel;

/** Reduction targets with their paths. */
export const targets = {
  Query: {
    reductionTargets: async (_parent, _args, context) =>
      toModels(context, await listTargets(requireAccess(context).tenant)),
    async reductionTarget(_parent, { id }, context) {
      const target = await findTarget(requireAccess(context).tenant, id.toLowerCase());
      return target && toModel(context, target);
    },
  },

  ReductionTarget: {
    reductionPercent: floatOf("reductionPercent"),
    targetValue: floatOf("targetValue"),
    base: async ({ computePath }) => floatOf("base")(await computePath()),
    baseExact: async ({ computePath }) => (await computePath()).baseExact,
    target: async ({ computePath }) => floatOf("target")(await computePath()),
    targetExact: async ({ computePath }) => (await computePath()).targetExact,
    path: async ({ computePath }) => (await computePath()).path,
  },
  ReductionTargetYear: {
    planned: floatOf("planned"),
    actual: floatOf("actual"),
    distance: floatOf("distance"),
  },

  Mutation: {
    createReductionTarget: async (_parent, { input }, context) => ({
      target: toModel(context, await createTarget(requireActorContext(context), input)),
    }),
    updateReductionTarget: async (_parent, { input: { id, expectedVersion, ...changes } }, context) => ({
      target: toModel(
        context,
        await changeTarget(requireActorContext(context), id, changes, expectedVersion),
      ),
    }),
    deleteReductionTarget: (_parent, { input: { id, expectedVersion } }, context) =>
      deleteTarget(requireActorContext(context), id, expectedVersion),
  },
} satisfies Resolvers;
