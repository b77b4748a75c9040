import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "@gadget/testing/eventually";
import { describe, expect, it } from "vitest";
import { runaway } from "../src/scripts/wont-stop.ts";

const speakers = ["command:", "background child:", "child in a session of its own:"];

/** Every process whose environment carries the mark, with its session. */
function marked(mark: string): { pid: number; session: string | undefined }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        if (!readFileSync(`/proc/${name}/environ`, "latin1").includes(mark)) {
          return [];
        }
        const stat = readFileSync(`/proc/${name}/stat`, "latin1");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return fields[0] === "Z" ? [] : [{ pid: Number(name), session: fields[3] }];
      } catch {
        return [];
      }
    });
}

function start(command: string) {
  const mark = `DEMO_TEST_MARK=${randomUUID()}`;
  const child = spawn("sh", ["-c", command], {
    env: { PATH: process.env.PATH, DEMO_TEST_MARK: mark.slice(mark.indexOf("=") + 1) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const seen = { output: "", ended: false };
  child.stdout.on("data", (data: Buffer) => {
    seen.output += data.toString();
  });
  child.on("close", () => {
    seen.ended = true;
  });
  return { mark, child, seen };
}

describe.skipIf(process.platform !== "linux")("the command that won't stop", () => {
  it("goes on after TERM, in two sessions, and is gone after KILL", async () => {
    const { mark, seen } = start(runaway);
    const all = () => speakers.every((speaker) => seen.output.includes(speaker));
    try {
      await eventually("all three speak", all);
      for (const { pid } of marked(mark)) {
        process.kill(pid, "SIGTERM");
      }
      seen.output = "";
      await eventually("all three go on", all);
      expect(new Set(marked(mark).map(({ session }) => session)).size).toBe(2);
    } finally {
      await eventually("all are killed", () => {
        const left = marked(mark);
        for (const { pid } of left) {
          process.kill(pid, "SIGKILL");
        }
        return left.length === 0;
      });
    }
  });

  it("ends by itself", async () => {
    const short = runaway.replace("beats=1100", "beats=2");
    expect(short).not.toBe(runaway);
    const { mark, child, seen } = start(short);
    await eventually("it ends", () => seen.ended);
    expect(child.exitCode).toBe(0);
    expect(marked(mark)).toEqual([]);
    const counted = speakers.map((speaker) => seen.output.split(speaker).length - 1);
    expect(counted).toEqual([2, 2, 2]);
  });
});
