/** One attempt to prove an identity with a password. */
export interface PasswordAttempt {
  readonly email: string;
  readonly address: string;
  /** True if the person signed in from this address in the last 30 days, so failures elsewhere cannot lock them out. */
  readonly isKnownAddress: boolean;
}
