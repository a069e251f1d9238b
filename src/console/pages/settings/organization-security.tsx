import { useQuery } from "../../gateway/use-query.js";
import { useScope } from "../../gateway/viewer.js";
import { Dialogs } from "../../parts/forms/dialogs.js";
import { Loaded } from "../../parts/states.js";
import { Directory } from "./organization/directory.js";
import { Domains } from "./organization/domains.js";
import { READ_MEMBER_SIGN_IN } from "./organization/read-member-sign-in.js";
import { Refusals } from "./organization/refusals.js";
import { SignInPolicy } from "./organization/sign-in-policy.js";
import { SingleSignOn } from "./organization/single-sign-on.js";

/** The organization's sign-in policy, domains, single sign-on and directory. */
export function OrganizationSecurity() {
  const answer = useQuery(READ_MEMBER_SIGN_IN, {});
  const maySeeTrail = useScope("read:audit");
  return (
    <div class="column">
      <SignInPolicy />
      <Dialogs onClosed={answer.reload}>
        <Loaded answer={answer} skeleton="table">
          {({ domains, singleSignOn, members }) => (
            <div class="column">
              <Domains domains={domains?.nodes ?? []} />
              <SingleSignOn domains={domains?.nodes ?? []} connection={singleSignOn} members={members} />
            </div>
          )}
        </Loaded>
      </Dialogs>
      <Directory />
      {maySeeTrail && <Refusals />}
    </div>
  );
}
