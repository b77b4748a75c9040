import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../shared/root.mjs";
import { parseSecrets, secretNames, withoutSecrets } from "./secrets.mjs";

const script = join(root, "scripts/start.sh");

it("start.sh takes the same names", () => {
  const [, names = ""] = /for name in ([^;]+);/.exec(readFileSync(script, "utf8")) ?? [];
  expect(names.split(" ")).toEqual(secretNames);
});

describe("parseSecrets", () => {
  it.each<[string, Record<string, string>]>([
    ["\n", {}],
    ["REDIS_URL=redis://x?a=b\n\n", { REDIS_URL: "redis://x?a=b" }],
    [
      "GADGET_OWNER_PASSWORD=one\ntwo=three\nMONGODB_URI=m\n\n",
      { GADGET_OWNER_PASSWORD: "one\ntwo=three", MONGODB_URI: "m" },
    ],
  ])("of %j", (text, secrets) => expect(parseSecrets(text)).toEqual(secrets));
});

it("withoutSecrets parts an environment", () => {
  const { known, secrets } = withoutSecrets({ PATH: "/bin", OPENAI_API_KEY: "k" });
  expect(known).toEqual({ PATH: "/bin" });
  expect(secrets).toEqual({ OPENAI_API_KEY: "k" });
});

it("start.sh hands secrets over with every sign in them, and forgets them", () => {
  const folder = mkdtempSync(join(tmpdir(), "gadget-start-"));
  try {
    copyFileSync(script, join(folder, "start.sh"));
    const shows = `import { readFileSync } from "node:fs";
      const left = readFileSync("/proc/self/environ", "utf8");
      console.log(JSON.stringify({ left, args: process.argv.slice(2), text: readFileSync(3, "utf8") }));`;
    writeFileSync(join(folder, "start.mjs"), shows);
    const password = "a $HOME `id` \\ \"b\" 'c'\n$(id) END ü".padEnd(9_000, "x");
    const env = { PATH: process.env["PATH"], GADGET_OWNER_PASSWORD: password, OPENAI_API_KEY: "k" };
    const output = execFileSync("sh", [join(folder, "start.sh"), "--a b"], { env });
    const seen = JSON.parse(output.toString()) as { left: string; args: string[]; text: string };
    expect(parseSecrets(seen.text)).toEqual({
      GADGET_OWNER_PASSWORD: password,
      OPENAI_API_KEY: "k",
    });
    expect(seen.left).not.toMatch(/OWNER_PASSWORD|OPENAI/);
    expect(seen.args).toEqual(["--secrets", "--a b"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
