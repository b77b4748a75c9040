// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Without colours and cursor movements; of lines that overwrite themselves, the last state. */
export function plainText(text: string): string {
  return text
    .replace(escapes, "")
    .replace(/\r\n/g, "\n")
    .replace(/^.*\r(?!$)/gm, "")
    .replace(/\r$/gm, "");
}
