import { chmod, mkdtemp, readFile, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A process that ignores TERM and writes its number into the folder when it is ready. */
const stubborn = `trap '' TERM HUP INT
echo $$ >> "$1/pids"
while :; do sleep 0.05; done
`;

/** Forks itself into a new session and exits, for ever: no process number of it stays valid. */
const reforking = `trap '' TERM HUP INT
echo $$ >> "$1/pids"
sleep 0.003
setsid sh "$0" "$1" &
exit 0
`;

/** What may stand before a command; the drone takes bash where it is there. */
export const shells = {
  sh: ["/bin/sh", "-c"],
  bash: ["/bin/bash", "--norc", "-c"],
} as const;
export type Shell = (typeof shells)[keyof typeof shells];

/** The kinds of descendants of A18, as commands of a shell that works in the folder. */
export const descendantKinds = {
  "plain child": "echo $$ >> pids; sleep 300",
  "background child": 'sh ./stubborn.sh "$PWD" & echo $$ >> pids; sleep 300',
  "setsid child": 'setsid sh ./stubborn.sh "$PWD" & sleep 300',
  "double fork": '(sh ./stubborn.sh "$PWD" &); sleep 300',
  "double fork with cleared environment":
    'F=$PWD; (cd / && setsid env -i PATH="$PATH" sh "$F/stubborn.sh" "$F" >/dev/null 2>&1 </dev/null &); sleep 300',
  "child that traps TERM": 'exec sh ./stubborn.sh "$PWD"',
  "re-forking child": 'sh "$PWD/reforking.sh" "$PWD" & sleep 300',
} as const;

/** Hides from every sign but the subreaper's: no parent, session, environment or open file of ours. */
export const hiddenDescendant =
  'F=$PWD; (cd / && setsid env -i PATH="$PATH" bash -c \'exec 10>&-; exec sh "$0/stubborn.sh" "$0"\' "$F" >/dev/null 2>&1 </dev/null &); sleep 300';

/** The same, and what started it goes on only when it is ready. */
export const daemon = hiddenDescendant.replace(
  "; sleep",
  "; while [ ! -s pids ]; do sleep 0.01; done; sleep",
);

export type DescendantKind = keyof typeof descendantKinds;

export const kindNames = Object.keys(descendantKinds) as DescendantKind[];

export const kindsAndShells = kindNames.flatMap((kind) => [
  [kind, "sh"] as const,
  [kind, "bash"] as const,
]);

/** A folder of its own for one command, so that the census can tell its processes apart. */
export async function commandFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "gadget-process-")));
  await chmod(folder, 0o777);
  await writeDescendants(folder);
  return folder;
}

/** What the commands of `descendantKinds` run. */
export async function writeDescendants(folder: string): Promise<void> {
  await writeFile(join(folder, "stubborn.sh"), stubborn);
  await writeFile(join(folder, "reforking.sh"), reforking);
}

/** How many processes have said that they are ready. */
export async function readyCount(folder: string): Promise<number> {
  const text = await readFile(join(folder, "pids"), "utf8").catch(() => "");
  return text.split("\n").length - 1;
}
