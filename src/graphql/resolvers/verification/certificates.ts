import { requireAccess } from "../../../access/context.js";
import { linkToCertificate } from "../../../actions/verification/link.js";
import {
  countCertificates,
  findCertificate,
  listCertificates,
} from "../../../data/verification/certificates.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";

/** Certificates of verified emissions. */
export const certificates = {
  Query: {
    verificationCertificates(_parent, args, context) {
      const access = requireAccess(context);
      return readConnection(access, args, {
        name: "verificationCertificates",
        parameters: [],
        read: (page) => listCertificates(access.tenant, page),
        count: () => countCertificates(access.tenant),
        toNode: itself,
      });
    },
    verificationCertificate: (_parent, { number }, context) =>
      findCertificate(requireAccess(context).tenant, number),
  },
  Certificate: {
    issuedAt: ({ issuedAt }) => new Date(issuedAt),
    supersededByNumber: ({ supersededBy }) => supersededBy,
    content: ({ statement }) => JSON.parse(statement),
    verifyUrl: ({ number }, _args, context) =>
      linkToCertificate(requireAccess(context).resources.site, number),
  },
} satisfies Resolvers;
