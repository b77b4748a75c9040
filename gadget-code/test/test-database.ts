import { randomUUID } from "node:crypto";

/**
 * The environment of a test's server: where `MONGODB_URI` is set, a database of its own on that
 * server; else the embedded one, in the test's data folder.
 */
export function testDatabase(): Record<string, string> {
  const given = process.env.MONGODB_URI;
  if (given === undefined || given === "") {
    return {};
  }
  const [, server = given, options = ""] =
    /^(mongodb(?:\+srv)?:\/\/[^/?]+)[^?]*(\?.*)?$/.exec(given) ?? [];
  return { MONGODB_URI: `${server}/gadget-test-${randomUUID()}${options}` };
}
