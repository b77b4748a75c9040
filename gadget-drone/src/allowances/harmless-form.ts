interface Form {
  words: string;
  options: RegExp;
  /** What may stand there beside options. */
  operands: RegExp;
  mostOperands?: number;
}

const nothing = /^$/;
/** Below the folder in which the command runs, as it is written. */
const below = /^(?![-/~])(?!(?:.*\/)?\.\.(?:\/|$)).+$/;
/** With a file's name git could compare or show what lies outside of the repository. */
const commit = /^HEAD(?:[~^]\d{0,4}){0,4}$/;

/**
 * The commands of which "in this session" allows more than the very same line: they can run no
 * program and write no file with these options. Others have options that can
 * (`git log --output`, `git grep -O`, `tar --checkpoint-action`), or show what file tools refuse.
 */
const forms: readonly Form[] = [
  { words: "pwd", options: /^-[LP]$/, operands: nothing },
  { words: "echo", options: /^/, operands: /^/ },
  {
    words: "ls",
    options:
      /^(?:-[1aAcCdfFghGiklLmnNopqQrRsStuUvxX]+|--(?:all|almost-all|directory|human-readable|recursive|reverse|size|si|inode|full-time|group-directories-first|(?:color|sort|time|time-style)=[\w-]+))$/,
    operands: below,
  },
  {
    words: "git status",
    options:
      /^(?:-[sbz]+|--(?:short|branch|long|show-stash|renames|no-renames|ahead-behind|no-ahead-behind)|--porcelain(?:=v?[12])?|-u(?:no|normal|all)?|--untracked-files(?:=(?:no|normal|all))?|--ignored(?:=(?:traditional|no|matching))?)$/,
    operands: nothing,
  },
  {
    words: "git log",
    options:
      /^(?:-p|-n|-n?\d{1,6}|--max-count=\d{1,6}|--(?:oneline|graph|decorate|no-decorate|all|branches|tags|stat|shortstat|name-only|name-status|patch|no-patch|reverse|merges|no-merges|first-parent|abbrev-commit|no-color)|--date=(?:iso|short|relative|local|unix))$/,
    operands: /^(?:HEAD(?:[~^]\d{0,4}){0,4}|\d{1,6})$/,
  },
  {
    words: "git diff",
    options:
      /^(?:-[pwbsz]|-U\d{1,3}|--(?:cached|staged|stat|shortstat|numstat|summary|name-only|name-status|patch|no-patch|no-color|check|ignore-all-space|ignore-space-change))$/,
    operands: commit,
    // Two names outside of a repository are two files to compare.
    mostOperands: 1,
  },
  {
    words: "git show",
    options:
      /^(?:-[psz]|-U\d{1,3}|--(?:stat|shortstat|numstat|summary|oneline|name-only|name-status|patch|no-patch|no-color))$/,
    operands: commit,
  },
  {
    words: "git branch",
    options: /^(?:-[arv]|-vv|--(?:all|remotes|list|verbose|show-current|no-color))$/,
    operands: nothing,
  },
];

/** The known form that these words of a simple command have: `git status`. */
export function harmlessForm(command: readonly string[]): string | undefined {
  const form = forms.find(({ words }) =>
    words.split(" ").every((word, index) => command[index] === word),
  );
  if (form === undefined) {
    return undefined;
  }
  const rest = command.slice(form.words.split(" ").length);
  const { options, operands, mostOperands = Number.POSITIVE_INFINITY } = form;
  const named = rest.filter((word) => !word.startsWith("-"));
  const fits =
    named.length <= mostOperands &&
    named.every((word) => operands.test(word)) &&
    rest.every((word) => !word.startsWith("-") || options.test(word));
  return fits ? form.words : undefined;
}
