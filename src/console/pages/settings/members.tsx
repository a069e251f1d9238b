import { useQuery } from "../../gateway/use-query.js";
import { useScope, useViewer } from "../../gateway/viewer.js";
import { useAddress } from "../../parts/address.js";
import { useDialog } from "../../parts/forms/use-dialog.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Paging } from "../../parts/paging.js";
import { Shown } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import { ChangeRole } from "./members/change-role.js";
import { Invitations } from "./members/invitations.js";
import { type Member, READ_MEMBERS } from "./members/read-members.js";
import { RemoveMember } from "./members/remove-member.js";

type Open = { readonly what: "change" | "remove"; readonly member: Member };

/** Who belongs to the organization, and, for those who may, the ways to change that. */
export function Members() {
  const mayManage = useScope("manage:members");
  const { after = null } = useAddress().query;
  const answer = useQuery(READ_MEMBERS, { after, mayManage });
  const { user } = useViewer();
  const { open, setOpen, close } = useDialog<Open>(answer.reload);
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
    { title: "Since", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
  const actions: Column<Member> = {
    title: "Change",
    isActions: true,
    cell: (member) => (
      <>
        <button type="button" class="quiet" onClick={() => setOpen({ what: "change", member })}>
          Change role
        </button>
        <button type="button" class="quiet" onClick={() => setOpen({ what: "remove", member })}>
          Remove
        </button>
      </>
    ),
  };
  return (
    <>
      <Shown answer={answer} as="table">
        {({ members, invitations }) =>
          members && (
            <>
              <Table
                caption="Members"
                rows={members.nodes}
                columns={mayManage ? [...columns, actions] : columns}
              />
              <Paging pageInfo={members.pageInfo} />
              {invitations && <Invitations invitations={invitations.nodes} onChange={answer.reload} />}
            </>
          )
        }
      </Shown>
      {open?.what === "change" && <ChangeRole member={open.member} onClose={close} />}
      {open?.what === "remove" && <RemoveMember member={open.member} onClose={close} />}
    </>
  );
}
