import { type ConsoleMemberSignInQuery, graphql } from "../../../../generated/console.js";

/** The organization's domains, identity provider and first members. */
export const READ_MEMBER_SIGN_IN = graphql(`
  query ConsoleMemberSignIn {
    domains(first: 100) { nodes { ...ConsoleDomain } }
    singleSignOn {
      id
      issuer
      clientId
      defaultRole
      roleClaim
      roleMap
      missingEmailVerified
      secondFactor
      redirectUri
      logoutUri
      status
      isEnforced
      breakGlassIds
      version
    }
    members(first: 100) {
      nodes { user { id name email } role hasSecondFactor hasPassword }
      pageInfo { hasNextPage }
    }
  }
`);

/** A domain of the organization. */
export type Domain = NonNullable<ConsoleMemberSignInQuery["domains"]>["nodes"][number];

/** The settings of the organization's identity provider. */
export type Connection = NonNullable<ConsoleMemberSignInQuery["singleSignOn"]>;

/** The first members of the organization. */
export type Members = NonNullable<ConsoleMemberSignInQuery["members"]>;
