import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { daemon, writeDescendants } from "./descendants.ts";

/** What a command uses against its supervisor, with the numbers of system calls on x64. */
const programs = {
  // PTRACE_SEIZE, then PTRACE_INTERRUPT.
  "hold.pl": `my $p = shift() + 0;
    exit 1 if syscall(101, 0x4206, $p, 0, 0) < 0 || syscall(101, 0x4207, $p, 0, 0) < 0;
    system "touch armed"; sleep 300`,
  // pidfd_open, then pidfd_getfd: the descriptor of the report.
  "forge.pl": `my $p = shift() + 0;
    my $fd = syscall(438, syscall(434, $p, 0), 4, 0);
    exit 1 if $fd < 0;
    open(my $report, ">&=", $fd);
    $SIG{TERM} = sub { syswrite $report, "stop asked\\ndone 1\\n"; kill 9, $p; sleep 300 };
    system "touch armed"; sleep 300 while 1`,
};

/** First a child that only a subreaper can see, then the weapon; `$PPID` is the supervisor. */
export const beside = (weapon: string) => daemon.replace("sleep 300", () => weapon);

export const weapons = {
  "stops it again and again": "while :; do kill -STOP $PPID; touch armed; sleep 0.005; done",
  "takes its descriptors away": "prlimit --pid $PPID --nofile=0:0 && touch armed; sleep 300",
  "holds it as a debugger does": "exec perl hold.pl $PPID",
} as const;

/** It says that nothing is left, and is believed by nobody. */
export const forgery = "exec perl forge.pl $PPID";

/** What commands with weapons run, in their folder. */
export async function writeWeapons(folder: string): Promise<void> {
  await writeDescendants(folder);
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(folder, name), text);
  }
}
