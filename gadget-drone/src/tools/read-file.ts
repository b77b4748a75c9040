import { extname } from "node:path";
import { defineTool } from "@gadget/agent";
import { z } from "zod";
import { isBinary } from "../workspace/file-diff.ts";
import { readWhole } from "../workspace/files.ts";
import type { DroneToolContext } from "./tool-context.ts";

const largestBytes = 10 * 1024 * 1024;
const largestImageBytes = 4 * 1024 * 1024;
const mostLines = 2_000;
const longestLine = 2_000;

const imageTypes = new Map([
  [".png", "image/png"],
  [".jpg", "image/jpeg"],
  [".jpeg", "image/jpeg"],
  [".gif", "image/gif"],
  [".webp", "image/webp"],
]);

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
  async run({ path, startLine = 1, endLine }, { workspace }) {
    const file = await readWhole(workspace, path, largestBytes);
    if (file === undefined)
      throw new Error(`There is no file "${path}". list_files shows what is there.`);
    const { bytes } = file;
    const mediaType = imageTypes.get(extname(path).toLowerCase());
    if (mediaType !== undefined && bytes.length <= largestImageBytes) {
      const image = { type: "image" as const, mediaType, data: bytes.toString("base64") };
      return { text: `The image ${path} (${bytes.length} bytes).`, images: [image] };
    }
    if (isBinary(bytes)) throw new Error(`"${path}" is a binary file of ${bytes.length} bytes.`);
    const lines = bytes.toString("utf8").split("\n");
    if (lines.at(-1) === "") lines.pop();
    if (lines.length === 0) return "(The file is empty.)";
    if (startLine > lines.length) throw new Error(`"${path}" has only ${lines.length} lines.`);
    const last = Math.min(endLine ?? lines.length, startLine - 1 + mostLines, lines.length);
    const shown = lines
      .slice(startLine - 1, last)
      .map((line, index) => `${startLine + index}\t${cut(line)}`);
    const left = lines.length - last;
    const more = left > 0 ? [`[${left} more lines; read on from line ${last + 1}]`] : [];
    return [...shown, ...more].join("\n");
  },
});

function cut(line: string): string {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  return text.length > longestLine ? `${text.slice(0, longestLine)} [cut]` : text;
}
