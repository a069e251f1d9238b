import { Domains } from "./organization/domains.js";
import { SignInPolicy } from "./organization/sign-in-policy.js";

/** How the organization's members sign in: the policy and the domains. */
export const OrganizationSecurity = () => (
  <div class="column">
    <SignInPolicy />
    <Domains />
  </div>
);
