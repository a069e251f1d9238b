import { useQuery } from "../../gateway/use-query.js";
import { useScope, useViewer } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { DialogButton, Dialogs } from "../../parts/forms/dialogs.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Loaded } from "../../parts/states.js";
import { type Column, List } from "../../parts/table.js";
import { ChangeRole } from "./members/change-role.js";
import { Invitations } from "./members/invitations.js";
import { type Member, READ_MEMBERS } from "./members/read-members.js";
import { RemoveMember } from "./members/remove-member.js";
import { ResetFactors } from "./members/reset-factors.js";

/** The organization's members and invitations. */
export function Members() {
  const mayManage = useScope("manage:members");
  const mayManageOwners = useScope("manage:organization");
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_MEMBERS, { after, mayManage });
  const { user } = useViewer();
  const columns: readonly Column<Member>[] = [
    {
      title: "Name",
      wraps: true,
      cell: (member) => (
        <>
          <bdi>{member.user.name}</bdi>
          {member.user.id === user.id && " (you)"}
        </>
      ),
    },
    { title: "E-mail", wraps: true, cell: (member) => member.user.email },
    { title: "Role", cell: ({ role }) => nameOf(role) },
    ...(mayManage ? [SECOND_FACTOR] : []),
    { title: "Since", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
  return (
    <Dialogs onClosed={answer.reload}>
      <Loaded answer={answer} skeleton="table">
        {({ members, invitations }) =>
          members && (
            <>
              <List
                caption="Members"
                {...members}
                columns={columns}
                actions={mayManage && actionsFor(mayManageOwners, user.id)}
              />
              {invitations && <Invitations invitations={invitations.nodes} />}
            </>
          )
        }
      </Loaded>
    </Dialogs>
  );
}

const SECOND_FACTOR: Column<Member> = {
  title: "Second factor",
  cell: ({ hasSecondFactor }) => (hasSecondFactor ? "Yes" : "No"),
};

/** Returns the actions on a member. Only owners may change owners or reset other members' second factors. */
const actionsFor = (mayManageOwners: boolean, userId: string) => (member: Member) =>
  (member.role !== "OWNER" || mayManageOwners) && (
    <>
      <DialogButton label="Change role" look="quiet" opens={<ChangeRole member={member} />} />
      {mayManageOwners && member.hasSecondFactor && member.user.id !== userId && (
        <DialogButton label="Reset second factor" look="quiet" opens={<ResetFactors member={member} />} />
      )}
      <DialogButton label="Remove" look="quiet" opens={<RemoveMember member={member} />} />
    </>
  );
