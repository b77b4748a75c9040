import { describe, expect, it } from "vitest";
import { readPlaywrightReport } from "./read-playwright-report.mjs";
import { readVitestReport } from "./read-vitest-report.mjs";
import { failureText, lastLine } from "./stage-result.mjs";

const test = (status: string) => ({
  fullName: `a ${status} test`,
  status,
  failureMessages: ["why"],
});
const file = (status: string, ...statuses: string[]) => ({
  name: "/root/src/a.test.ts",
  status,
  message: "SyntaxError",
  assertionResults: statuses.map(test),
});
const run = { root: "/root", expectedFiles: ["src/a.test.ts"], exitCode: 0, output: "Unhandled" };

describe("readVitestReport", () => {
  it("counts every test", () => {
    const report = { testResults: [file("failed", "passed", "failed", "skipped", "todo")] };
    expect(readVitestReport(report, { ...run, exitCode: 1 })).toEqual({
      passed: 1,
      skipped: 2,
      failures: [{ title: "a failed test", file: "src/a.test.ts", detail: "why" }],
    });
  });

  it.each([
    ["a file that can't be loaded", { testResults: [file("failed")] }, 1],
    [
      "a file whose hook failed after its tests passed",
      { testResults: [file("failed", "passed")] },
      1,
    ],
    ["a file without tests", { testResults: [file("passed")] }, 0],
    ["a file that was not run", { testResults: [] }, 0],
    ["an error outside of any test", { testResults: [file("passed", "passed")] }, 1],
  ])("counts %s as one failure", (_what, report, exitCode) => {
    expect(readVitestReport(report, { ...run, exitCode }).failures).toHaveLength(1);
  });
});

describe("readPlaywrightReport", () => {
  const spec = (status: string) => ({
    title: "aborts",
    file: "abort.e2e.ts",
    line: 3,
    tests: [{ status, results: [{ errors: [{ message: "\u001b[31mwhy\u001b[39m" }] }] }],
  });

  it("counts every test, and a flaky one as failed", () => {
    const specs = ["expected", "skipped", "unexpected", "flaky"].map(spec);
    const suites = [{ title: "abort.e2e.ts", suites: [{ title: "Esc", specs }] }];
    const report = { config: { rootDir: "/root/e2e" }, suites };
    const result = readPlaywrightReport(report, { root: "/root", exitCode: 1, output: "" });
    const failure = {
      title: "abort.e2e.ts > Esc > aborts",
      file: "e2e/abort.e2e.ts:3",
      detail: "why",
    };
    expect(result).toEqual({ passed: 1, skipped: 1, failures: [failure, failure] });
  });

  it.each([
    ["an error outside of any test", { suites: [], errors: [{ message: "no config" }] }],
    ["a bad exit code", { suites: [] }],
  ])("counts %s as one failure", (_what, report) => {
    expect(
      readPlaywrightReport(report, { root: "/root", exitCode: 1, output: "" }).failures,
    ).toHaveLength(1);
  });
});

describe("the end of a run", () => {
  const failure = { title: "a test", file: "a.test.ts", detail: "expected 1\nreceived 2" };

  it("is one line", () => {
    const results = [
      { passed: 3, skipped: 0, failures: [failure] },
      { passed: 4, skipped: 0, failures: [] },
    ];
    expect(lastLine(results)).toBe("7 passed, 1 failed");
    expect(lastLine([{ passed: 1, skipped: 2, failures: [] }])).toBe(
      "1 passed, 0 failed, 2 skipped",
    );
  });

  it("prints a failure with its name, file and error", () => {
    expect(failureText(failure)).toBe(
      "FAILED a test\n    a.test.ts\n    expected 1\n    received 2\n",
    );
  });
});
