import { randomBytes } from "node:crypto";
import { eventually } from "@gadget/testing/eventually";
import { ScriptedModel } from "@gadget/testing/scripted-model";
import { expect, it } from "vitest";
import { startStack } from "../../gadget-code/e2e/stack.ts";
import { Client } from "../../packages/cli/src/client.ts";

/** What a command can read of the processes above it and of all others of its user. */
const look = `
pid=$$
while [ "$pid" -gt 0 ]; do
  echo "above $pid $(tr '\\0' ' ' < /proc/$pid/cmdline)"
  pid=$(sed -n 's/^PPid:\\t//p' /proc/$pid/status)
done
for process in /proc/[0-9]*; do
  if cat $process/environ $process/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -q "$(cat mark)"; then
    echo "found in $(tr '\\0' ' ' < $process/cmdline)"
  fi
done
echo looked`;

it("a command finds no secret of the server in any process of the product", async () => {
  const mark = randomBytes(12).toString("hex");
  const model = await ScriptedModel.start();
  const account = { email: "ada@example.com", password: `correct horse ${mark}` };
  const stack = await startStack({
    GADGET_OWNER_EMAIL: account.email,
    GADGET_OWNER_PASSWORD: account.password,
    GADGET_SECRET_KEY: `${mark}${randomBytes(20).toString("hex")}`,
    OPENAI_API_KEY: `sk-${mark}`,
    OPENAI_BASE_URL: model.baseUrl,
  });
  try {
    const client = new Client(stack.url, undefined);
    const signal = AbortSignal.timeout(60_000);
    const { headers } = await client.exchange("login", { body: account, signal });
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const ask = { headers: { cookie, origin: stack.url }, signal };
    await eventually("the local drone is online", async () => {
      const { items } = await client.request("listDrones", ask);
      return items.some(({ status }) => status === "online");
    });
    const { items: providers } = await client.request("listProviders", ask);
    const provider = providers.find(({ kind }) => kind === "openai");
    const { items: projects } = await client.request("listProjects", ask);
    const [project] = projects;
    if (provider === undefined || project === undefined) {
      throw new Error("The start is not whole.");
    }
    const { session } = await client.request("createSession", {
      params: { id: project.id },
      body: { providerId: provider.id, model: "scripted", approval: "auto" },
      ...ask,
    });
    model.answerWithTools(
      // The mark must not stand in the arguments of the command itself.
      ["write_file", { path: "mark", content: mark }],
      ["shell", { command: look }],
    );
    const { turn } = await client.request("submitTurn", {
      params: { id: session.id },
      body: { prompt: "Look around." },
      ...ask,
    });
    const params = { id: turn.id };
    await eventually("it has looked", async () => {
      const { turn: now } = await client.request("getTurn", { params, ...ask });
      return now.status === "finished" || now.status === "error";
    });
    const { items: events } = await client.request("listEvents", { params, ...ask });
    const shell = events.find((event) => event.type === "tool:end" && event.name === "shell");
    const seen = shell?.type === "tool:end" ? shell.text : "";
    expect(seen).toMatch(/^looked$/m);
    expect(seen).toMatch(/^above \d+ .*gadget-drone\.mjs/m);
    expect(seen).toMatch(/^above \d+ .*start\.mjs/m);
    // The test itself has its mark in no environment and no argument.
    expect(seen).not.toMatch(/^found/m);
  } finally {
    await stack.stop();
    await model.stop();
  }
}, 120_000);
