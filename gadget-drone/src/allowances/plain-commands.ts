/** Characters that mean nothing to a shell, wherever they stand in a word. */
const plain = /[A-Za-z0-9_\-./:=,@+%^]/;
/** `HEAD~2`: a tilde is a home folder at the start of a word, after `=` and after `:` only. */
const inWord = /[A-Za-z0-9]/;
const longest = 10_000;
const control = /\p{C}/u;
/** Inside of double quotes these still mean something. */
const live = /[$`\\!]/;
const reserved = new Set(
  "if then else elif fi do done case esac while until for in function select time coproc".split(
    " ",
  ),
);

/**
 * The simple commands of a command line, each as its words, exactly as any POSIX shell or bash
 * would run them. Undefined for everything that is more than plain words, quotes, `&&`, `||`, `;`
 * and `|`: expansions, globs (a file's name can be an option), redirections, groups, comments, new
 * lines, and whatever else this does not know for certain.
 */
export function plainCommands(line: string): string[][] | undefined {
  if (line.length > longest) {
    return undefined;
  }
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) {
      commands.at(-1)?.push(word);
    }
    word = undefined;
  };
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? "";
    if (character === " " || character === "\t") {
      endWord();
    } else if (character === "'" || character === '"') {
      const end = line.indexOf(character, at + 1);
      const quoted = line.slice(at + 1, end);
      if (end < 0 || control.test(quoted)) {
        return undefined;
      }
      if (character === '"' && live.test(quoted)) {
        return undefined;
      }
      word = (word ?? "") + quoted;
      at = end;
    } else if (character === ";" || character === "|" || character === "&") {
      endWord();
      const isDouble = character !== ";" && line[at + 1] === character;
      if (character === "&" && !isDouble) {
        return undefined;
      }
      if (isDouble) {
        at++;
      }
      commands.push([]);
    } else if (plain.test(character) || (character === "~" && inWord.test(line[at - 1] ?? ""))) {
      word = (word ?? "") + character;
    } else {
      return undefined;
    }
  }
  endWord();
  return commands.every(isCommand) ? commands : undefined;
}

function isCommand([program = ""]: string[]): boolean {
  return program !== "" && !program.includes("=") && !reserved.has(program);
}
