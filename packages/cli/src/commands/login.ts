import { hostname } from "node:os";
import { RefusalError } from "@gadget/api";
import type { Command } from "commander";
import { ask } from "../ask/ask.ts";
import { canAsk, type Terminal } from "../ask/terminal.ts";
import { Client } from "../client.ts";
import { contextFor, type GlobalOptions } from "../command-context.ts";
import { type CommandHost, examples } from "../command-host.ts";
import { readCredentials, writeCredentials } from "../credentials.ts";
import { exitCodes } from "../exit-code.ts";
import { plainText } from "../print/plain-text.ts";
import { Problem } from "../problem.ts";
import { defaultServer, isExposed, serverAddress } from "../server-address.ts";

export function addLogin(program: Command, host: CommandHost): void {
  program
    .command("login")
    .summary("sign in and keep a token for later")
    .description(
      "Signs in at a server and keeps an API token for later. Without --token it asks for email address and password, and makes a token with them; the password is not kept.",
    )
    .addHelpText(
      "after",
      examples("gadget login --server https://gadget.example.com", "gadget login --token TOKEN"),
    )
    .action(async function login(this: Command) {
      await signIn(host.terminal, this.optsWithGlobals<GlobalOptions>());
    });
}

async function signIn(terminal: Terminal, options: GlobalOptions): Promise<void> {
  const { env, interrupts } = terminal;
  const { signal } = interrupts;
  const stored = await readCredentials(env);
  const named = options.server ?? (env["GADGET_SERVER"] || undefined);
  const server = serverAddress(named ?? stored.current ?? defaultServer);
  const given = options.token ?? (env["GADGET_TOKEN"] || undefined);
  if (isExposed(server)) {
    terminal.stderr.write(`${server} is plain http: others on the way can read the token.\n`);
  }
  const token = given ?? (await makeToken(terminal, server));
  const client = new Client(server, token);
  const { user } = await client
    .request("me", { signal })
    .catch(orRefused("The server does not know this token. Make a new one on the page."));
  await writeCredentials(env, {
    current: server,
    tokens: { ...stored.tokens, [server]: token },
  });
  const context = contextFor(terminal, client, options);
  if (context.json) {
    context.printJson({ server, user });
  } else {
    context.print(`Signed in at ${server} as ${plainText(user.email)}.`);
  }
}

async function makeToken(terminal: Terminal, server: string): Promise<string> {
  const { signal } = terminal.interrupts;
  if (!canAsk(terminal)) {
    throw new Problem(
      "There is no terminal to ask for a password on: give --token, or set GADGET_TOKEN.",
      exitCodes.usage,
    );
  }
  terminal.stderr.write(`Signing in at ${server}\n`);
  const email = await askFor(terminal, "E-mail: ");
  const password = await askFor(terminal, "Password: ", { hidden: true });
  const client = new Client(server, undefined);
  const { headers } = await client
    .exchange("login", { body: { email, password }, signal })
    .catch(orRefused("The email or the password is wrong."));
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0] ?? "")
    .join("; ");
  // With a cookie the server checks where a request comes from, as it does with a browser.
  const signedIn = { cookie, origin: server };
  const name = `gadget on ${hostname()}`.slice(0, 100);
  const { token } = await client.request("createToken", {
    body: { name },
    headers: signedIn,
    signal,
  });
  // Only the token is kept; a cookie's session that can't be ended now ends by itself.
  await client.request("logout", { headers: signedIn, signal }).catch(() => undefined);
  return token;
}

/** While signing in, "sign in first" would be no help. */
function orRefused(sentence: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof RefusalError) || error.code !== "unauthenticated") {
      throw error;
    }
    throw new Problem(sentence, exitCodes.error, error.code);
  };
}

async function askFor(
  terminal: Terminal,
  prompt: string,
  options: { hidden?: boolean } = {},
): Promise<string> {
  const answer = await ask(terminal, prompt, options).answer;
  terminal.interrupts.signal.throwIfAborted();
  const text = options.hidden === true ? answer : answer?.trim();
  if (text) {
    return text;
  }
  throw new Problem("Nothing was typed, nothing was changed.", exitCodes.usage);
}
