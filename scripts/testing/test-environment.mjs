/**
 * The environment of test processes: the caller's own settings of Gadget Code, its provider keys
 * and the terminal's colours stay out. MONGODB_URI and REDIS_URL stay: with them the tests use
 * those servers.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function testEnvironment(env) {
  const kept = Object.entries(env).filter(
    ([name]) => !/^(GADGET_|OPENAI_|OLLAMA_|FORCE_COLOR$)/.test(name),
  );
  return { ...Object.fromEntries(kept), NO_COLOR: "1" };
}
