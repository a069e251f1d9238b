import { requireAccess } from "../../../access/context.js";
import { requireActorContext } from "../../../actions/actor-context.js";
import { claimEnergy } from "../../../actions/inventory/claim-energy.js";
import { recordInstrument } from "../../../actions/inventory/record-instrument.js";
import { withdrawClaim } from "../../../actions/inventory/withdraw-claim.js";
import {
  type ClaimRow,
  countInstruments,
  findClaim,
  findInstrument,
  type InstrumentRow,
  listInstruments,
} from "../../../data/inventory/instruments.js";
import { MAX_LIST_SIZE } from "../../../domain/page.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { requireSize } from "../../paging/arguments.js";
import { itself, readConnection } from "../../paging/page.js";
import { floatOf } from "../floats.js";
import { requireRow } from "../require-row.js";

export type EnergyInstrumentModel = InstrumentRow;
export type EnergyClaimModel = ClaimRow;

/** Energy instruments and their claims. */
export const instruments = {
  Query: {
    energyInstruments(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "energyInstruments",
        parameters: [],
        read: (page) => listInstruments(access.tenant, page),
        count: () => countInstruments(access.tenant),
        toNode: itself,
      });
    },
    energyInstrument: (_parent, { id }, context) => findInstrument(requireAccess(context).tenant, id),
    energyClaim: (_parent, { id }, context) => findClaim(requireAccess(context).tenant, id),
  },

  EnergyInstrument: {
    mwh: floatOf("mwh"),
    claimedMwh: floatOf("claimedMwh"),
    leftMwh: floatOf("leftMwh"),
    rateKgPerKwh: floatOf("rateKgPerKwh"),
    claims: ({ id }, { first }, context) =>
      requireAccess(context).loaders.claimsOf(id, requireSize("first", first, MAX_LIST_SIZE)),
  },
  EnergyClaim: {
    async facility({ facilityId }, _args, context) {
      const facility = await requireAccess(context).loaders.facility(facilityId);
      return requireRow(facility, `facility ${facilityId}`).code;
    },
    mwh: floatOf("mwh"),
  },

  Mutation: {
    recordEnergyInstrument: (_parent, { input }, context) =>
      recordInstrument(requireActorContext(context), input),
    claimEnergy: (_parent, { input }, context) => claimEnergy(requireActorContext(context), input),
    async withdrawEnergyClaim(_parent, { input: { id, reason } }, context) {
      return { claim: await withdrawClaim(requireActorContext(context), id, reason) };
    },
  },
} satisfies Resolvers;
