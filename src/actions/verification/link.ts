import type { Site } from "../../http/site.js";

/** Where anybody can look at a certificate. */
export const linkToCertificate = (site: Pick<Site, "url">, number: string): string =>
  `${site.url()}/certificates/${number}`;
