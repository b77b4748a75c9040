import type { CommandShell } from "./process/find-shell.ts";
import { askUser } from "./tools/ask-user.ts";
import { background } from "./tools/background.ts";
import { editFile } from "./tools/edit-file.ts";
import { listFiles } from "./tools/list-files.ts";
import { readFile } from "./tools/read-file.ts";
import { glob } from "./tools/search/glob.ts";
import { grep } from "./tools/search/grep.ts";
import { shell } from "./tools/shell.ts";
import { todo } from "./tools/todo.ts";
import type { DroneTool } from "./tools/tool-context.ts";
import { wait } from "./tools/wait.ts";
import { webFetch } from "./tools/web/web-fetch.ts";
import { writeFile } from "./tools/write-file.ts";

/** A new tool is its file, its test, and its line here. */
export const ownTools = (commandShell: CommandShell): readonly DroneTool[] => [
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
