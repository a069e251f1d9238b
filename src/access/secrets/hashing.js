// Runs in the threads of password.ts.
import { hashSync, verifySync } from "@node-rs/argon2";

/** @param {{ password: string, parameters: import("@node-rs/argon2").Options }} task */
export const hash = ({ password, parameters }) => hashSync(password, parameters);

/** @param {{ password: string, stored: string }} task */
export const verify = ({ password, stored }) => verifySync(stored, password);
