/** Something that a person must put right. Shown as its sentence, never with a stack trace. */
export class Problem extends Error {}

/**
 * Runs a command's main function; a Problem becomes one sentence and exit code 1.
 * @param {() => Promise<number | void>} main
 */
export async function runMain(main) {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    if (!(error instanceof Problem)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
