import { MAX_KEY_NAME } from "../../domain/keys/key-limits.js";
import type { Scope } from "../../domain/scopes.js";
import type { Tier } from "../../domain/tiers.js";
import { nameOption } from "../options.js";

/** Key id for examples. */
export const EXAMPLE_ID = "3c5a0b52-8a6e-4c1c-a0c2-0d4f5e4f9d11";

/** `--name` of a key. */
export const keyNameOption = () => nameOption("name that says what the key is for", MAX_KEY_NAME);

/** Options that configure a key. */
export interface Settings {
  readonly name: string;
  readonly tier: Tier;
  readonly scope: readonly Scope[];
  readonly expiresAt?: Date | "never";
}
