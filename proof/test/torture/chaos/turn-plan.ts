import {
  type DescendantKind,
  descendantKinds,
  kindNames,
} from "../../../../gadget-drone/test/process/descendants.ts";

/** What one prompt of the chaos asks for, and whether and when it is aborted. */
export interface TurnPlan {
  /** Stands in the prompt, in the names of its marker files, and tells the model what to do. */
  key: string;
  kind: "text" | "tools" | "shell" | "wait" | "ask";
  words: number;
  descendant: DescendantKind;
  waitSeconds: number;
  /** Milliseconds after the prompt was taken; a turn that would not end by itself has them. */
  abortAfterMs: number | undefined;
  /** Where it asks: milliseconds until the answer. */
  answerAfterMs: number;
}

const kinds = ["text", "text", "tools", "tools", "shell", "shell", "wait", "ask"] as const;

export function planTurn(key: string, random: () => number): TurnPlan {
  const kind = one(kinds, random);
  const isAborted = random() < 0.5;
  const abortAfterMs = Math.floor(random() ** 2 * 4_000);
  const words = 5 + Math.floor(random() * 60);
  const descendant = one(kindNames, random);
  const answerAfterMs = Math.floor(random() * 1_500);
  const aborted = isAborted || kind === "shell";
  return {
    key,
    kind,
    words,
    descendant,
    waitSeconds: isAborted ? 300 : 1 + Math.floor(random() * 2),
    abortAfterMs: aborted ? abortAfterMs : undefined,
    answerAfterMs,
  };
}

/**
 * Notes when it began, beats into a file until it is killed, whatever TERM says, and starts one of
 * the descendants of A18. The beating takes no fork: twenty of them run beside each other.
 */
export function stubbornCommand({ key, descendant }: TurnPlan): string {
  const beat = `$SIG{$_} = "IGNORE" for qw(TERM HUP INT); while (1) { open my $f, ">>", shift || "${key}.beat"; syswrite $f, "x"; close $f; select undef, undef, undef, 0.1 }`;
  return `${beganCommand(key)}; perl -e '${beat}' & ${descendantKinds[descendant]}`;
}

/** One line for every command of a turn that began. */
export const beganCommand = (key: string): string => `date +%s%3N >> ${key}.began`;

function one<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
