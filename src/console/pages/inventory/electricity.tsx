import { type ConsoleEnergyClaimsQuery, graphql } from "../../../generated/console.js";
import { run } from "../../gateway/run.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { Button } from "../../parts/button.js";
import { TextArea } from "../../parts/fields/field.js";
import { Confirm } from "../../parts/forms/confirm.js";
import { Dialog } from "../../parts/forms/dialog.js";
import { DialogButton, Dialogs, useDialog } from "../../parts/forms/dialogs.js";
import { need, textOf } from "../../parts/forms/values.js";
import { Day, writeDay } from "../../parts/moment.js";
import { Exact } from "../../parts/numbers.js";
import { LoadedField } from "../../parts/states.js";
import { type Column, List, Table } from "../../parts/table.js";
import { ClaimEnergy } from "./claim-energy.js";
import { type Instrument, KINDS } from "./names.js";
import { RecordInstrument } from "./record-instrument.js";

const READ = graphql(`
  query ConsoleEnergyInstruments($after: String) {
    energyInstruments(first: 20, after: $after) {
      nodes {
        id
        reference
        kind
        market
        mwh
        claimedMwh
        leftMwh
        leftMwhExact
        rateKgPerKwh
        renewable
        generatedFrom
        generatedTo
        registry
        certificateNumber
        evidence
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

const READ_CLAIMS = graphql(`
  query ConsoleEnergyClaims($id: UUID!) {
    energyInstrument(id: $id) {
      claims(first: 100) { id reference facility year mwh cancelledOn cancellation reason }
    }
  }
`);

const WITHDRAW = graphql(`
  mutation ConsoleWithdrawEnergyClaim($id: UUID!, $reason: String!) {
    withdrawEnergyClaim(input: { id: $id, reason: $reason }) { claim { id } }
  }
`);

type Claim = NonNullable<ConsoleEnergyClaimsQuery["energyInstrument"]>["claims"][number];

/** The organization's energy instruments, with their claims and remaining energy. */
export function Electricity() {
  const { after = null } = useAddress().query;
  const answer = useQuery(READ, { after });
  const mayWrite = useScope("write:emissions");
  const actionsFor = (instrument: Instrument) => (
    <>
      {mayWrite && instrument.leftMwh !== 0 && (
        <DialogButton label="Claim" look="quiet" opens={<ClaimEnergy instrument={instrument} />} />
      )}
      <DialogButton label="Claims" look="quiet" opens={<Claims instrument={instrument} />} />
    </>
  );
  return (
    <Dialogs onClosed={answer.reload}>
      <div class="row">
        <p class="quiet">
          Certificates, contracts and supplier rates determine your market-based scope 2. Each MWh counts
          once, for the facility and year that claim it.
        </p>
        {mayWrite && <DialogButton label="Add instrument" look="primary" opens={<RecordInstrument />} />}
      </div>
      <LoadedField answer={answer} skeleton="table" field="energyInstruments">
        {(instruments) => (
          <List caption="Energy instruments" {...instruments} columns={COLUMNS} actions={actionsFor}>
            No instruments yet. Market-based scope 2 uses residual mixes or location-based factors until you
            add a certificate or contract.
          </List>
        )}
      </LoadedField>
    </Dialogs>
  );
}

const COLUMNS: readonly Column<Instrument>[] = [
  { title: "Reference", wraps: true, cell: ({ reference }) => <bdi>{reference}</bdi> },
  { title: "Kind", wraps: true, cell: ({ kind }) => KINDS[kind] },
  { title: "Market", cell: ({ market }) => market },
  {
    title: "Generated",
    wraps: true,
    cell: ({ generatedFrom, generatedTo }) => `${writeDay(generatedFrom)} – ${writeDay(generatedTo)}`,
  },
  { title: "kg CO₂e/kWh", isNumber: true, cell: ({ rateKgPerKwh }) => <Exact value={rateKgPerKwh} /> },
  { title: "MWh", isNumber: true, cell: ({ mwh }) => <Exact value={mwh} /> },
  {
    title: "Left, MWh",
    isNumber: true,
    cell: ({ leftMwh }) =>
      leftMwh === null ? (
        "Unlimited"
      ) : (
        <strong>
          <Exact value={leftMwh} />
        </strong>
      ),
  },
  {
    title: "Evidence",
    wraps: true,
    cell: ({ registry, certificateNumber, evidence }) =>
      [registry, certificateNumber, evidence].filter(Boolean).join(", "),
  },
];

/** The first 100 claims of an instrument, with buttons to withdraw them. */
function Claims({ instrument: { id, reference } }: { instrument: Instrument }) {
  const { close } = useDialog();
  const answer = useQuery(READ_CLAIMS, { id });
  const mayWrite = useScope("write:emissions");
  return (
    <Dialog title={`Claims of ${reference}`} onClose={() => close()} isWide>
      <LoadedField answer={answer} skeleton="short" field="energyInstrument">
        {({ claims }) => (
          <Table<Claim>
            caption="Claims"
            rows={claims}
            columns={CLAIM_COLUMNS}
            actions={
              mayWrite &&
              ((claim) => (
                <DialogButton label="Withdraw" look="quiet" opens={<WithdrawClaim claim={claim} />} />
              ))
            }
          >
            No claims yet.
          </Table>
        )}
      </LoadedField>
      <div class="buttons">
        <Button label="Close" look="secondary outline" onClick={() => close()} />
      </div>
    </Dialog>
  );
}

const CLAIM_COLUMNS: readonly Column<Claim>[] = [
  { title: "Facility", cell: ({ facility }) => facility },
  { title: "Year", cell: ({ year }) => year },
  { title: "MWh", isNumber: true, cell: ({ mwh }) => <Exact value={mwh} /> },
  { title: "Cancelled", cell: ({ cancelledOn }) => <Day on={cancelledOn} /> },
  {
    title: "Note",
    wraps: true,
    cell: ({ cancellation, reason }) => [cancellation, reason].filter(Boolean).join(". ") || "–",
  },
];

const WithdrawClaim = ({ claim: { id, facility, year } }: { claim: Claim }) => (
  <Confirm
    title={`Withdraw the claim of ${facility} for ${year}`}
    action="Withdraw"
    onConfirm={(values) => run(WITHDRAW, { id, reason: textOf(values, "reason").trim() })}
    successMessage={`Claim of ${facility} for ${year} withdrawn.`}
    check={(values) => need("reason", textOf(values, "reason").trim() !== "", "Enter a reason.")}
  >
    <TextArea label="Reason" name="reason" hint="The audit trail keeps the claim with your reason" />
  </Confirm>
);
