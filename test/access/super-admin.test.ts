import { describe, expect, it } from "vitest";
import { giveFactor, signIn, signUpSuperAdmin } from "../support/people.js";
import { use, useGateway } from "../support/use.js";

const gateway = useGateway();
const root = use(() => signUpSuperAdmin(gateway));

describe("a super admin without an organization", () => {
  it("has only the scope admin:platform", async () => {
    const { status, body } = await root.call("/v1/auth/me");
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      organization: { slug: "platform" },
      role: "viewer",
      scopes: ["admin:platform"],
      organizations: [],
    });
  });

  it.each([
    ["/v1/emissions/kpis", "read:emissions"],
    ["/v1/emissions/records", "read:emissions"],
    ["/v1/compliance/frameworks", "read:compliance"],
    ["/v1/credits/batches", "read:credits"],
    ["/v1/api-keys", "manage:keys"],
    ["/v1/members", null],
    ["/v1/audit/log", "read:audit"],
  ])("sees nothing of any organization: %s", async (path, scope) => {
    const { status, body } = await root.call(path);
    if (scope === null) expect([status, body.data]).toEqual([200, { items: [], next_cursor: null }]);
    else {
      expect(status).toBe(403);
      expect(body.error).toEqual({ code: "FORBIDDEN", message: expect.stringContaining(scope) });
    }
  });

  it("needs a second factor for the platform", async () => {
    const { user } = root;
    const { call } = await signIn(gateway, user, null);
    expect((await call("/v1/auth/me")).body.data).toMatchObject({ scopes: [] });
    const refused = await call("/v1/admin/monitoring");
    expect([refused.status, refused.body.error?.code]).toEqual([403, "SECOND_FACTOR_REQUIRED"]);
    const { error } = (await call("/v1/emissions/kpis")).body;
    expect(error?.code).toBe("FORBIDDEN");
    const { required } = (await call("/v1/auth/factors")).body.data as { required: boolean };
    expect(required).toBe(true);
    await giveFactor(gateway, user);
    expect((await call("/v1/admin/monitoring")).status).toBe(200);
  });

  it("loses the scope once the flag is removed", async () => {
    const former = await signUpSuperAdmin(gateway);
    const scopes = async () => {
      const { status, body } = await former.call("/v1/auth/me");
      return status === 200 ? (body.data as { scopes: string[] }).scopes : body.error?.code;
    };
    expect(await scopes()).toEqual(["admin:platform"]);
    await gateway.database.prisma.user.update({
      where: { id: former.user.id },
      data: { isSuperAdmin: false },
    });
    await expect.poll(scopes).toBe("FORBIDDEN");
  });
});
