/** One attempt to prove an identity with a password. */
export interface Guess {
  readonly email: string;
  readonly address: string;
  /**
   * True if the person signed in from this address within 30 days. Other people's failures then cannot lock them out.
   */
  readonly isKnownAddress: boolean;
}
