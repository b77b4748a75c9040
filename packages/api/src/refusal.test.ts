import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { invalid } from "./refusal.ts";
import { routes } from "./rest/routes.ts";

function refused(schema: z.core.$ZodType, value: unknown) {
  const { error } = z.safeParse(schema, value);
  return error === undefined ? undefined : invalid(error.issues).message;
}

describe("what is not valid", () => {
  const owner = { email: "ada@example.org", name: "Ada", password: "long enough" };

  it("is said in the schema's own sentence, where it has one", () => {
    expect(refused(routes.setup.body, { ...owner, code: "x" })).toBe(
      "This set-up link is not complete. Copy it again from the terminal.",
    );
    expect(refused(routes.setup.body, { ...owner, code: "0123456789", email: "ada@home" })).toBe(
      "Give a whole email address, like ada@example.org.",
    );
  });

  it("is said once, however many checks refuse it", () => {
    expect(refused(routes.setup.body, { ...owner, code: "0123456789", password: 1 })).toBe(
      "A password has 10 to 200 characters.",
    );
  });

  it("names the field elsewhere", () => {
    expect(refused(routes.setup.body, { ...owner, code: "0123456789", more: 1 })).toBe(
      'Not valid: unknown key "more".',
    );
  });
});
