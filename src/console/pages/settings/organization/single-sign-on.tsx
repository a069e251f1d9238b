import type { ComponentChildren } from "preact";
import { countOf } from "../../../../domain/texts/count-of.js";
import { graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { Button } from "../../../parts/button.js";
import { Details } from "../../../parts/details.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton } from "../../../parts/forms/dialogs.js";
import { nameOf } from "../../../parts/names.js";
import { useAttempt } from "../../../parts/states.js";
import { Status } from "../../../parts/status.js";
import { Enforcement } from "./enforcement.js";
import { Addresses, EditProvider, MISSING_EMAIL_VERIFIED, SECOND_FACTOR } from "./provider-form.js";
import type { Connection, Domain, Members } from "./read-member-sign-in.js";

const REMOVE = graphql(`
  mutation ConsoleRemoveSingleSignOn($expectedVersion: Int) {
    removeSingleSignOn(input: { expectedVersion: $expectedVersion }) { singleSignOn { id } }
  }
`);
const TEST = graphql(`
  mutation ConsoleTestSingleSignOn($expectedVersion: Int) {
    testSingleSignOn(input: { expectedVersion: $expectedVersion }) { url }
  }
`);
const ENABLE = graphql(`
  mutation ConsoleEnableSingleSignOn($expectedVersion: Int) {
    enableSingleSignOn(input: { expectedVersion: $expectedVersion }) { singleSignOn { id } }
  }
`);
const DISABLE = graphql(`
  mutation ConsoleDisableSingleSignOn($expectedVersion: Int) {
    disableSingleSignOn(input: { expectedVersion: $expectedVersion }) { singleSignOn { id } }
  }
`);

interface ConnectionProps {
  readonly connection: Connection;
}

interface SingleSignOnProps {
  readonly domains: readonly Domain[];
  readonly connection: Connection | null;
  readonly members: Members | null;
}

/** Single sign-on in four steps, and its enforcement. */
export function SingleSignOn({ domains, connection, members }: SingleSignOnProps) {
  const proven = domains.filter(({ status }) => status !== "PENDING").map(({ domain }) => domain);
  return (
    <section class="card">
      <h2>Single sign-on</h2>
      <p>
        Members sign in with your organization's identity provider over OpenID Connect, e.g. Entra ID, Google
        Workspace, Keycloak or Okta.
      </p>
      <ol class="numbered">
        <Step title="Domain" status={proven.length > 0 ? "PROVEN" : "PENDING"}>
          <p>
            {proven.length > 0 ? (
              <>
                Users with an address at <bdi>{proven.join(", ")}</bdi> can sign in.
              </>
            ) : (
              "Add and prove the domain of your e-mail addresses above."
            )}
          </p>
        </Step>
        <Step title="Identity provider" status={connection ? "SAVED" : "PENDING"}>
          {connection ? <Provider connection={connection} /> : <NoProvider />}
        </Step>
        <Step title="Test" status={connection && connection.status !== "DRAFT" ? "TESTED" : "PENDING"}>
          {connection ? <Test connection={connection} /> : <p>Sign in at the provider once yourself.</p>}
        </Step>
        <Step title="Enable" status={connection?.status === "ENABLED" ? "ENABLED" : "PENDING"}>
          <State connection={connection} />
        </Step>
      </ol>
      {connection?.status === "ENABLED" && <Enforcement connection={connection} members={members} />}
    </section>
  );
}

interface StepProps {
  readonly title: string;
  readonly status: string;
  readonly children: ComponentChildren;
}

const Step = ({ title, status, children }: StepProps) => (
  <li>
    <div class="row">
      <h3>{title}</h3>
      <Status of={status} />
    </div>
    {children}
  </li>
);

const NoProvider = () => (
  <>
    <p>
      Create a web application at your provider, then enter its issuer and client ID here. You'll get the URIs
      to enter there.
    </p>
    <DialogButton label="Set up provider" look="primary" opens={<EditProvider connection={null} />} />
  </>
);

function Provider({ connection }: ConnectionProps) {
  const { issuer, clientId, defaultRole, roleClaim, roleMap, missingEmailVerified, secondFactor } =
    connection;
  const count = Object.keys(roleMap).length;
  return (
    <>
      <Details
        items={{
          Issuer: issuer,
          "Client ID": clientId,
          Role:
            roleClaim === null || count === 0
              ? nameOf(defaultRole)
              : `From ${countOf(count, "value")} of the claim ${roleClaim}, otherwise ${nameOf(defaultRole)}`,
          "E-mail address": MISSING_EMAIL_VERIFIED[missingEmailVerified],
          "Second factor": SECOND_FACTOR[secondFactor],
        }}
      />
      <Addresses connection={connection} />
      <div class="tools">
        <DialogButton label="Edit" opens={<EditProvider connection={connection} />} />
        <DialogButton label="Remove" look="quiet" opens={<RemoveProvider connection={connection} />} />
      </div>
    </>
  );
}

const RemoveProvider = ({ connection: { version } }: ConnectionProps) => (
  <Confirm
    title="Remove identity provider?"
    action="Remove"
    onConfirm={() => run(REMOVE, { expectedVersion: version })}
    successMessage="Identity provider removed."
  >
    <p>
      Nobody will be able to sign in with it, and sessions started with it will end. Members without a
      password can set one with “Forgot your password?” on the sign-in page.
    </p>
  </Confirm>
);

function Test({ connection: { version, status } }: ConnectionProps) {
  const { attempt, complaint } = useAttempt();
  const test = () =>
    attempt(async () => {
      const { testSingleSignOn } = await run(TEST, { expectedVersion: version });
      if (testSingleSignOn) location.assign(testSingleSignOn.url);
    });
  return (
    <>
      <p>
        Sign in at the provider once yourself. The result page shows each check, the names of the claims and
        the role. Your current session doesn't change.
      </p>
      {complaint}
      <Button
        label={status === "DRAFT" ? "Test sign-in" : "Test again"}
        look={status === "DRAFT" ? "primary" : "outline"}
        onClick={test}
      />
    </>
  );
}

function State({ connection }: { connection: Connection | null }) {
  if (connection?.status === "ENABLED")
    return (
      <>
        <p>On the sign-in page, “Continue with your organization” takes users to the provider.</p>
        <DialogButton label="Disable" opens={<Disable connection={connection} />} />
      </>
    );
  if (connection?.status === "TESTED")
    return (
      <>
        <p>The test succeeded. The owner who ran it can enable single sign-on within 24 hours.</p>
        <DialogButton label="Enable" look="primary" opens={<Enable connection={connection} />} />
      </>
    );
  return <p>You can enable single sign-on once the test has succeeded.</p>;
}

const Enable = ({ connection: { version, defaultRole } }: ConnectionProps) => (
  <Confirm
    title="Enable single sign-on?"
    action="Enable"
    onConfirm={() => run(ENABLE, { expectedVersion: version })}
    successMessage="Single sign-on enabled."
  >
    <p>
      Users with an address at your proven domains can sign in with the provider. New users become members.
    </p>
    <p>
      Each sign-in sets the role to {nameOf(defaultRole)}, unless a claim assigns another. Owners stay owners.
    </p>
  </Confirm>
);

const Disable = ({ connection: { version, isEnforced } }: ConnectionProps) => (
  <Confirm
    title="Disable single sign-on?"
    action="Disable"
    onConfirm={() => run(DISABLE, { expectedVersion: version })}
    successMessage="Single sign-on disabled."
  >
    <p>
      Nobody will be able to sign in with the provider. Existing sessions continue.
      {isEnforced && " Members will no longer have to use it."}
    </p>
  </Confirm>
);
