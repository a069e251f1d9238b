import { useScope } from "../../../gateway/viewer.js";
import { todayInUtc } from "../../../parts/days.js";
import { Details } from "../../../parts/details.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Day, writeDay } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Exact, Money } from "../../../parts/numbers.js";
import { OBLIGATIONS } from "../names.js";
import { Notices } from "../notices.js";
import { AmendDeclaration } from "./amend-declaration.js";
import { EditCertificatesHeld } from "./edit-certificates-held.js";
import type { Declaration } from "./read-declarations.js";
import { SubmitDeclaration } from "./submit-declaration.js";

/** Status, obligations, totals and ruleset of a declaration, with buttons that change it. */
export function DeclarationState({ declaration }: { declaration: Declaration }) {
  const mayWrite = useScope("write:compliance");
  const { year, status, notices } = declaration;
  const isSubmitted = status === "SUBMITTED";
  const isOver = todayInUtc() > `${year}-12-31`;
  return (
    <section>
      <div class="row">
        <h2>Declaration of {year}</h2>
        {mayWrite && (
          <>
            <DialogButton
              label="Record certificates held"
              opens={<EditCertificatesHeld declaration={declaration} />}
            />
            {isSubmitted ? (
              <DialogButton label="Amend" opens={<AmendDeclaration declaration={declaration} />} />
            ) : (
              isOver && (
                <DialogButton label="Submit" opens={<SubmitDeclaration declaration={declaration} />} />
              )
            )}
          </>
        )}
      </div>
      {mayWrite && !isOver && <p class="quiet">You can submit it from {writeDay(`${year + 1}-01-01`)}.</p>}
      <Details items={describe(declaration)} />
      <Notices notices={notices} />
      <p class="quiet digest">
        Figures as of {declaration.rulesetAsOf}, {declaration.rulesetDigest}
      </p>
    </section>
  );
}

const describe = (declaration: Declaration) => ({
  Status: nameOf(declaration.status),
  Due: <Day on={declaration.dueOn} />,
  Obligation: OBLIGATIONS[declaration.obligation],
  "Net mass": <Exact value={declaration.massT} unit="t, without hydrogen and goods from exempt countries" />,
  "Embedded emissions": <Exact value={declaration.embeddedEmissions} unit="tCO₂e" />,
  Cost: (
    <>
      <Money value={declaration.costToBuyEur ?? null} /> EUR for{" "}
      <Exact value={declaration.certificatesToBuy} /> certificates
    </>
  ),
  "Certificates held":
    declaration.certificatesHeld === null ? "Not recorded" : <Exact value={declaration.certificatesHeld} />,
  ...(declaration.holdings.length > 0 && {
    "Certificates to hold": <Holdings holdings={declaration.holdings} />,
  }),
});

/** Number of certificates to hold at the end of each quarter. */
const Holdings = ({ holdings }: Pick<Declaration, "holdings">) => (
  <>
    {holdings.map(({ quarter, endsOn, certificates }) => (
      <div key={quarter}>
        <Exact value={certificates} /> on <Day on={endsOn} />
      </div>
    ))}
  </>
);
