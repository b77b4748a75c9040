import type { CommandShell } from "../process/find-shell.ts";
import { askUser } from "./ask-user.ts";
import { background } from "./background.ts";
import { editFile } from "./edit-file.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { glob } from "./search/glob.ts";
import { grep } from "./search/grep.ts";
import { shell } from "./shell.ts";
import { todo } from "./todo.ts";
import type { DroneTool } from "./tool-context.ts";
import { wait } from "./wait.ts";
import { webFetch } from "./web/web-fetch.ts";
import { writeFile } from "./write-file.ts";

/** A new tool is its file, its test, and its line here. */
export const tools = (commandShell: CommandShell): readonly DroneTool[] => [
  readFile,
  writeFile,
  editFile,
  listFiles,
  glob,
  grep,
  shell(commandShell),
  background,
  askUser,
  wait,
  todo,
  webFetch,
];
