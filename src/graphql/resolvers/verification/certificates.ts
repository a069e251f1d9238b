import { requireAccess } from "../../../access/context.js";
import { linkToCertificate } from "../../../actions/verification/link.js";
import {
  countCertificates,
  findCertificate,
  listCertificates,
} from "../../../data/verification/certificates.js";
import type { Resolvers } from "../../../generated/resolvers.js";
import { itself, readConnection } from "../../paging/page.js";
import { readRows } from "../people/rows.js";

/** Certificates of what was verified. */
export const certificates = {
  Query: {
    verificationCertificates(_parent, args, context) {
      const access = requireAccess(context);
      const { organizationId } = access.tenant;
      return readConnection(access, args, {
        name: "verificationCertificates",
        parameters: [],
        read: (page) => listCertificates(readRows(context), organizationId, page),
        count: () => countCertificates(readRows(context), organizationId),
        toNode: itself,
      });
    },
    verificationCertificate: (_parent, { number }, context) =>
      findCertificate(readRows(context), requireAccess(context).tenant.organizationId, number),
  },
  Certificate: {
    issuedAt: ({ issuedAt }) => new Date(issuedAt),
    content: ({ statement }) => JSON.parse(statement),
    verifyUrl: ({ number }, _args, context) =>
      linkToCertificate(requireAccess(context).resources.site, number),
  },
} satisfies Resolvers;
