import { describe, expect, it } from "vitest";
import { generateToken } from "../../src/access/secrets/token.js";
import { signUp } from "../support/people.js";
import { useGateway } from "../support/use.js";
import { BEHIND_PROXY, bearer, createVisitor, refusalOf } from "./visitor.js";

const gateway = useGateway({ env: { ...BEHIND_PROXY, AUTH_FAILURES_PER_MINUTE: "2" } });

describe("an unknown token", () => {
  it.each([
    ["/refresh", { refresh_token: generateToken("refresh") }, {}, [401, "UNAUTHENTICATED"]],
    ["/link", { token: generateToken("link") }, {}, [401, "INVALID_CREDENTIALS"]],
    [
      "/register",
      { invitation: generateToken("invitation"), password: "a long passphrase" },
      {},
      [404, "NOT_FOUND"],
    ],
    ["/logout", {}, bearer(generateToken("session")), [200, undefined]],
  ] as const)(
    "at %s counts as a failure of its address, which is refused after too many",
    async (path, body, headers, refused) => {
      const { post } = createVisitor(gateway);
      const answers = [];
      for (let count = 0; count < 3; count += 1) answers.push(await post(path, body, headers));
      expect(answers.map(refusalOf)).toEqual([refused, refused, [429, "RATE_LIMIT_EXCEEDED"]]);
      expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);

      // An active session still works from there.
      const { session } = await signUp(gateway);
      const { status } = await createVisitor(gateway).post(
        "/organization",
        { slug: "nobodys" },
        bearer(session.token),
      );
      expect(status).toBe(404);
    },
  );
});
