import type { Site } from "../../http/site.js";

/** Returns the link to the public page of a certificate. */
export const linkToCertificate = (site: Pick<Site, "url">, number: string): string =>
  `${site.url()}/certificates/${number}`;
