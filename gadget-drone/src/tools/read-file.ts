import { extname } from "node:path";
import { defineTool } from "@gadget/agent";
import { safeCut } from "@gadget/ai";
import { z } from "zod";
import { plainText } from "../plain-text.ts";
import { isBinary } from "../workspace/changes/file-diff.ts";
import { readWhole } from "../workspace/files.ts";
import type { DroneToolContext } from "./tool-context.ts";

const largestBytes = 10 * 1024 * 1024;
const largestImageBytes = 4 * 1024 * 1024;
const mostLines = 2_000;
const longestLine = 2_000;
/** For the line that says what is left. */
const roomForMore = 150;

const imageTypes = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
]);

/** What a command printed; a file of this very name is read as `./output:...`. */
const outputPath = /^output:([0-9a-f]{12})$/;

const input = z.object({
  path: z.string().describe("The file, relative to the workspace."),
  startLine: z.int().min(1).optional().describe("The first line to read, from 1."),
  endLine: z.int().min(1).optional().describe("The last line to read."),
});

export const readFile = defineTool<typeof input, DroneToolContext>({
  name: "read_file",
  description: `Reads a file of the workspace, each line with its number and a tab in front. At most ${mostLines} lines at a time. Images are shown.`,
  input,
  readOnly: true,
  timeoutMs: 30_000,
  maxCharacters: 150_000,
  async run({ path, startLine = 1, endLine }, { workspace, outputs, maxCharacters }) {
    if (endLine !== undefined && endLine < startLine) {
      throw new Error(
        `startLine ${startLine} is after endLine ${endLine}. Give the smaller one first.`,
      );
    }
    const range = { path, startLine, endLine, maxCharacters };
    const [, outputId] = outputPath.exec(path) ?? [];
    if (outputId !== undefined) {
      const output = await outputs.read(outputId);
      if (output === undefined) {
        throw new Error(
          `There is no "${path}" any more: the oldest outputs of a session are removed. Run the command again.`,
        );
      }
      return linesOf(output, range, plainText);
    }
    const file = await readWhole(workspace, path, largestBytes);
    if (file === undefined) {
      throw new Error(`There is no file "${path}". list_files shows what is there.`);
    }
    const { bytes } = file;
    const mediaType = imageTypes.get(extname(path).toLowerCase());
    if (mediaType !== undefined && bytes.length <= largestImageBytes) {
      const image = { type: "image" as const, mediaType, data: bytes.toString("base64") };
      return { text: `The image ${path} (${bytes.length} bytes).`, images: [image] };
    }
    if (isBinary(bytes)) {
      throw new Error(`"${path}" is a binary file of ${bytes.length} bytes.`);
    }
    return linesOf(bytes, range);
  },
});

interface Range {
  path: string;
  startLine: number;
  endLine: number | undefined;
  maxCharacters: number;
}

function linesOf(
  bytes: Buffer,
  { path, startLine, endLine, maxCharacters }: Range,
  shownLine = (line: string) => line,
): string {
  const lines = bytes.toString("utf8").split("\n");
  if (lines.at(-1) === "") {
    lines.pop();
  }
  if (lines.length === 0) {
    return "(The file is empty.)";
  }
  if (startLine > lines.length) {
    throw new Error(`"${path}" has only ${lines.length} lines.`);
  }
  const end = Math.min(endLine ?? lines.length, startLine - 1 + mostLines, lines.length);
  const asked = lines
    .slice(startLine - 1, end)
    .map((line, index) => `${startLine + index}\t${cut(shownLine(line))}`);
  const shown = fitting(asked, maxCharacters - roomForMore);
  const last = startLine - 1 + shown.length;
  const left = lines.length - last;
  if (left === 0) {
    return shown.join("\n");
  }
  const why = shown.length < asked.length ? " did not fit into what the model can read" : "";
  return [...shown, `[${left} more lines${why}; read on from line ${last + 1}]`].join("\n");
}

/** The first lines that have so many characters, at least one. */
function fitting(lines: readonly string[], characters: number): readonly string[] {
  let left = characters;
  const tooMuch = lines.findIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  return tooMuch < 0 ? lines : lines.slice(0, Math.max(1, tooMuch));
}

function cut(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.length > longestLine ? `${text.slice(0, safeCut(text, longestLine))} [cut]` : text;
}
