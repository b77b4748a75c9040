import { expect, it } from "vitest";
import { isInnerAddress } from "./is-inner-address.ts";

const inner = `0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.0.1 192.0.0.8 192.0.2.1
  192.88.99.1 192.168.1.1 198.19.0.1 198.51.100.7 203.0.113.9 224.0.0.1 255.255.255.255 :: ::1
  ::ffff:10.0.0.1 64:ff9b::a00:1 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 2001:2::1 2001:10::1
  2001:20::1 2001:db8::1 2002:a00:1::1 3fff::1 5f00::1 fc00::1 fd12::1 fe80::1 fec0::1 feff::1
  ff02::1`;

it.each(inner.split(/\s+/))("%s is no public site's", (address) => {
  expect(isInnerAddress(address)).toBe(true);
});

const outer = "1.1.1.1 192.0.1.1 192.88.98.1 203.0.114.1 2606:4700::1111 2a00::1";

it.each(outer.split(" "))("%s may be one", (address) => {
  expect(isInnerAddress(address)).toBe(false);
});
