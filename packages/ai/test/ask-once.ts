import { createProvider } from "../src/index.ts";

// Started by first-turn.test.ts: does what a turn does first, or lists the models.
const [, , kind, baseUrl = "", task] = process.argv;
const provider = createProvider({ kind: kind === "ollama" ? kind : "openai", baseUrl });
const { signal } = new AbortController();

async function turn(): Promise<string> {
  const { id: model } = await provider.describeModel({ signal, model: "m" });
  const messages = [{ role: "user" as const, content: "Hello" }];
  let text = "";
  for await (const event of provider.chat({ signal, model, messages })) {
    text += event.type === "text:delta" ? event.text : "";
  }
  return text;
}

async function list(): Promise<string> {
  const listed = await provider.listModels({ signal });
  return listed.ok ? listed.value.map(({ id }) => id).join(" ") : listed.failure.message;
}

process.stdout.write(`${await (task === "turn" ? turn() : list())}\n`);
provider.close();
