import type { Period } from "../read-compliance.js";

/** How many certificates are still to be surrendered for a period. */
export const stillDue = ({ toSurrender, surrendered }: Period): number => toSurrender - surrendered;
