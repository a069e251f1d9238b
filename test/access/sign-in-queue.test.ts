import { describe, expect, it } from "vitest";
import { signUp } from "../support/people.js";
import type { Answer, Envelope } from "../support/server.js";
import { useGateway } from "../support/use.js";
import { BEHIND_PROXY, createVisitor, newPassword, refusalOf } from "./visitor.js";

const gateway = useGateway({ env: BEHIND_PROXY });

const times = <Result>(count: number, make: () => Result) => Array.from({ length: count }, make);

/** Signs up users who share a password. */
async function makePeople(count: number) {
  const password = newPassword();
  const people = await Promise.all(times(count, () => signUp(gateway, { password })));
  return people.map(({ user: { email } }) => ({ email, password }));
}

describe("POST /v1/auth/login", () => {
  it("serves others while 12 accounts sign in from one address, 5 times each", async () => {
    const [victim, ...accounts] = await makePeople(13);
    const attacker = createVisitor(gateway);
    const home = createVisitor(gateway);
    const attacks: Promise<Answer<Envelope>>[] = [];
    const statuses: number[] = [];
    for (let i = 0; i < 20; i += 1) {
      if (i % 10 === 0)
        attacks.push(...accounts.flatMap((account) => times(5, () => attacker.post("/login", account))));
      statuses.push((await home.post("/login", victim)).status);
    }
    expect(statuses).toEqual(times(20, () => 200));
    const refused = (await Promise.all(attacks)).filter(({ status }) => status !== 200).map(refusalOf);
    expect(refused.filter(([, code]) => code !== "RATE_LIMIT_EXCEEDED")).toEqual([]);
  });
});
