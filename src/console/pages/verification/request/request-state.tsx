import { useScope } from "../../../gateway/viewer.js";
import { Details } from "../../../parts/details.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { writeDecimal } from "../../../parts/numbers.js";
import { conclusionOf, daysOf, LEVELS, nameVerifier, scopesOf } from "../names.js";
import type { Request } from "../read-requests.js";
import { ConfirmStep } from "./confirm-step.js";
import { Decide } from "./decide.js";
import { describeNext } from "./next-step.js";
import { STEPS } from "./steps.js";

/** State of a request, with buttons for the steps that the user may take. */
export function RequestState({ request }: { request: Request }) {
  const mayRequest = useScope("request:verification");
  const { number, organizationName, status, isAssigned } = request;
  const party = isAssigned ? "VERIFIER" : mayRequest ? "ORGANIZATION" : null;
  const steps = STEPS.filter(
    ({ by, from, isOffered }) =>
      by === party && from.includes(status) && (isOffered === undefined || isOffered(request)),
  );
  return (
    <section>
      <div class="row">
        <h2>
          {number}
          {isAssigned && (
            <>
              {" "}
              of <bdi>{organizationName}</bdi>
            </>
          )}
        </h2>
        {steps.map((step) => (
          <DialogButton
            key={step.action}
            label={step.action}
            opens={<ConfirmStep step={step} request={request} />}
          />
        ))}
        {isAssigned && status === "IN_REVIEW" && (
          <DialogButton label="Decide" look="primary" opens={<Decide request={request} />} />
        )}
      </div>
      <Details items={describe(request)} />
    </section>
  );
}

/** Describes the verifier. Before confirmation, includes details that help the organization identify the person. */
function describeVerifier({ verifier, verifierEmail, verifierLinkExpiresAt }: Request) {
  const { email, isEmailConfirmed, acceptedAt, confirmedAt, accountCreatedAt } = verifier;
  if (acceptedAt === null) {
    return {
      Verifier: `Not accepted yet (sent to ${verifierEmail})`,
      ...(verifierLinkExpiresAt && { "Link expires": <Moment at={verifierLinkExpiresAt} /> }),
    };
  }
  if (confirmedAt !== null) return { Verifier: `${nameVerifier(verifier)}, ${email}` };
  return {
    "Accepted by": nameVerifier(verifier),
    "Their e-mail": `${email}${isEmailConfirmed ? "" : " (not confirmed)"}${email === verifierEmail ? "" : `. You sent the link to ${verifierEmail}`}`,
    "Account created": <Moment at={accountCreatedAt} />,
    Accepted: <Moment at={acceptedAt} />,
  };
}

const describe = (request: Request) => ({
  Status: nameOf(request.status),
  "Next step": describeNext(request),
  Records: request.isLocked ? "Locked: nobody can add, edit or delete them" : "Not locked",
  Period: daysOf(request.period),
  Scopes: scopesOf(request.scopes),
  Level: LEVELS[request.level],
  Materiality: `${writeDecimal(request.materialityPercentExact)} %`,
  ...describeVerifier(request),
  ...(request.opinion && {
    Conclusion: conclusionOf(request.level, request.opinion),
    Statement: <span class="lines">{request.opinionStatement}</span>,
  }),
});
