import { type ConsoleSignInPolicyQuery, graphql } from "../../../../generated/console.js";
import { run } from "../../../gateway/run.js";
import { useQuery } from "../../../gateway/use-query.js";
import { refreshViewer } from "../../../gateway/viewer.js";
import { Confirm } from "../../../parts/forms/confirm.js";
import { DialogButton, Dialogs } from "../../../parts/forms/dialogs.js";
import { Moment } from "../../../parts/moment.js";
import { nameOf } from "../../../parts/names.js";
import { Loaded } from "../../../parts/states.js";
import { type Column, Table } from "../../../parts/table.js";

const READ = graphql(`
  query ConsoleSignInPolicy {
    organization { id secondFactorFrom }
    members(first: 100) {
      nodes { user { id name email } role hasSecondFactor }
      pageInfo { hasNextPage }
    }
  }
`);
const SET = graphql(`
  mutation ConsoleSetSignInPolicy($secondFactor: SecondFactorPolicy!) {
    setSignInPolicy(input: { secondFactor: $secondFactor }) { secondFactorFrom }
  }
`);

type Member = NonNullable<ConsoleSignInPolicyQuery["members"]>["nodes"][number];

const COLUMNS: readonly Column<Member>[] = [
  { title: "Name", wraps: true, cell: ({ user }) => <bdi>{user.name}</bdi> },
  { title: "E-mail", wraps: true, cell: ({ user }) => user.email },
  { title: "Role", cell: ({ role }) => nameOf(role) },
];

/** The second factor policy, and the members without a second factor. */
export function SignInPolicy() {
  const answer = useQuery(READ, {});
  const reload = () => {
    refreshViewer();
    return answer.reload();
  };
  return (
    <section class="card">
      <h2>Second factor</h2>
      <Dialogs onClosed={reload}>
        <Loaded answer={answer} skeleton="line">
          {({ organization, members }) => (
            <>
              <Policy from={organization?.secondFactorFrom ?? null} />
              {members && <Missing {...members} />}
            </>
          )}
        </Loaded>
      </Dialogs>
    </section>
  );
}

const Policy = ({ from }: { from: string | null }) => (
  <div class="row">
    <p>
      {from === null ? (
        "Members may sign in with only a password."
      ) : (
        <>
          Every member needs an authenticator app or passkey {isAhead(from) ? "from" : "since"}{" "}
          <Moment at={from} />.
        </>
      )}
    </p>
    {from === null ? (
      <DialogButton label="Require a second factor" opens={<Require />} />
    ) : (
      <DialogButton label="Stop requiring" opens={<StopRequiring />} />
    )}
  </div>
);

const isAhead = (at: string) => Date.parse(at) > Date.now();

function Missing({ nodes, pageInfo }: NonNullable<ConsoleSignInPolicyQuery["members"]>) {
  const missing = nodes.filter(({ hasSecondFactor }) => hasSecondFactor === false);
  return (
    <>
      <h3>Members without a second factor</h3>
      <Table caption="Members without a second factor" rows={missing} columns={COLUMNS}>
        {pageInfo.hasNextPage ? "None among the first 100 members." : "All members have one."}
      </Table>
      {pageInfo.hasNextPage && (
        <p>
          Shows only the first 100 members. <a href="/console/settings/members">View all members</a>
        </p>
      )}
    </>
  );
}

const Require = () => (
  <Confirm
    title="Require a second factor"
    action="Require"
    onConfirm={() => run(SET, { secondFactor: "REQUIRED" })}
    successMessage="Members have 7 days to add a second factor."
  >
    <p>
      Members have 7 days to add an authenticator app or passkey. We notify them by e-mail. After that,
      members without one can't access your organization's data. Members who join later need one immediately.
      API keys and service accounts are not affected.
    </p>
    <p>You must have a second factor yourself.</p>
  </Confirm>
);

const StopRequiring = () => (
  <Confirm
    title="Stop requiring a second factor?"
    action="Stop"
    onConfirm={() => run(SET, { secondFactor: "OFF" })}
    successMessage="A second factor is no longer required."
  >
    <p>Members will be able to remove their second factor and sign in with only a password.</p>
  </Confirm>
);
