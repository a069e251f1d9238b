import { useState } from "preact/hooks";
import { type ConsoleMembersQuery, graphql } from "../../../generated/console.js";
import { useQuery } from "../../gateway/use-query.js";
import { useScope, useViewer } from "../../gateway/viewer.js";
import { Moment } from "../../parts/moment.js";
import { nameOf } from "../../parts/names.js";
import { Shown } from "../../parts/states.js";
import { type Column, Table } from "../../parts/table.js";
import { ChangeRole } from "./members/change-role.js";
import { Invitations } from "./members/invitations.js";
import { RemoveMember } from "./members/remove-member.js";

const OPERATION = graphql(`
  query ConsoleMembers {
    members(first: 100) {
      nodes { user { id name email } role createdAt }
      totalCount
    }
  }
`);

/** A member of the organization. */
export type Member = NonNullable<ConsoleMembersQuery["members"]>["nodes"][number];

type Open = { readonly what: "change" | "remove"; readonly member: Member } | null;

/** Who belongs to the organization, and, for those who may, the ways to change that. */
export function Members() {
  const answer = useQuery(OPERATION, {});
  const { user } = useViewer();
  const mayManage = useScope("manage:members");
  const [open, setOpen] = useState<Open>(null);
  const close = () => {
    setOpen(null);
    answer.reload();
  };
  const columns: readonly Column<Member>[] = [
    { title: "Name", cell: (member) => member.user.name + (member.user.id === user.id ? " (you)" : "") },
    { title: "E-mail", cell: (member) => member.user.email },
    { title: "Role", cell: ({ role }) => nameOf(role) },
    { title: "Since", cell: ({ createdAt }) => <Moment at={createdAt} /> },
  ];
  const actions: Column<Member> = {
    title: "Change",
    cell: (member) => (
      <div class="actions">
        <button type="button" class="outline" onClick={() => setOpen({ what: "change", member })}>
          Change role
        </button>
        <button type="button" class="outline" onClick={() => setOpen({ what: "remove", member })}>
          Remove
        </button>
      </div>
    ),
  };
  return (
    <>
      <Shown answer={answer} as="table">
        {({ members }) => (
          <Table
            caption="Members"
            rows={members?.nodes ?? []}
            keyOf={(member) => member.user.id}
            columns={mayManage ? [...columns, actions] : columns}
          />
        )}
      </Shown>
      {mayManage && <Invitations />}
      {open?.what === "change" && <ChangeRole member={open.member} onClose={close} />}
      {open?.what === "remove" && <RemoveMember member={open.member} onClose={close} />}
    </>
  );
}
