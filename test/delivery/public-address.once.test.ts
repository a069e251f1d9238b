import { describe, expect, it } from "vitest";
import { createIsAllowed, isPublicAddress } from "../../src/delivery/public-address.js";

describe("an address", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:1.1.1.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "not an address",
    "",
  ])("is not public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.0.1.1",
    "198.17.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:80e::200e",
    "2001:4860:4860::8888",
  ])("is public: %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe("networks of the operator", () => {
  it("are allowed in addition to public addresses, and no others are", () => {
    const isAllowed = createIsAllowed(["10.20.0.0/16", "fd00:1::/32"]);
    const tried = [
      "10.20.255.1",
      "fd00:1::5",
      "1.1.1.1",
      "10.21.0.1",
      "fd00:2::5",
      "127.0.0.1",
      "::ffff:10.20.0.1",
    ];
    expect(tried.filter(isAllowed)).toEqual(["10.20.255.1", "fd00:1::5", "1.1.1.1"]);
  });
});
