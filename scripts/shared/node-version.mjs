const needed = { major: 20, minor: 19 };

/**
 * The sentence that refuses a Node that is too old, or undefined.
 * @param {string} version as in `process.versions.node`
 */
export function nodeVersionProblem(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > needed.major || (major === needed.major && minor >= needed.minor)) {
    return undefined;
  }
  return `Gadget Code needs Node ${needed.major}.${needed.minor} or newer, and this is Node ${version}: install a newer one from https://nodejs.org and try again.`;
}

/** Ends the process with one sentence when this Node is too old. */
export function requireNodeVersion() {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem === undefined) {
    return;
  }
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}
