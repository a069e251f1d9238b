import { Domains } from "./organization/domains.js";
import { SignInPolicy } from "./organization/sign-in-policy.js";

/** The organization's sign-in policy and domains. */
export const OrganizationSecurity = () => (
  <div class="column">
    <SignInPolicy />
    <Domains />
  </div>
);
