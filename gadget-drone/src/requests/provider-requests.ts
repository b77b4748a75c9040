import { type AiFailure, type AiModel, ollamaContextLength } from "@gadget/ai";
import {
  type CommandHandlers,
  contextWindowOf,
  type Model,
  type ProviderAccess,
  RefusalError,
  type serverOrders,
} from "@gadget/api";
import type { OutboundProxy } from "../link/outbound-proxy.ts";
import type { Demo } from "../services/demo.ts";
import { providerFor } from "../services/provider-for.ts";
import { within } from "./within.ts";

export interface ProviderRequestsOptions {
  demo: Demo;
  proxy: OutboundProxy | undefined;
}

type ProviderRequests = Pick<CommandHandlers<typeof serverOrders>, "listModels" | "testProvider">;

const modelsMs = 20_000;

/** What providers have to say, which only a drone can reach. */
export function providerRequests(options: ProviderRequestsOptions): ProviderRequests {
  return {
    listModels: ({ provider: access }) =>
      within(modelsMs, async (signal) => {
        const provider = await providerFor(access, options);
        try {
          const listed = await provider.listModels({ signal });
          if (!listed.ok) {
            throw new RefusalError("unavailable", withDetail(listed.failure));
          }
          return { models: listed.value.map(modelToWire(access)) };
        } finally {
          provider.close();
        }
      }),
    testProvider: ({ provider: access, model }) =>
      within(modelsMs, async (signal) => {
        const provider = await providerFor(access, options);
        try {
          const tested = await provider.test({ signal, ...(model !== undefined && { model }) });
          if (!tested.ok) {
            return { ok: false, message: withDetail(tested.failure) };
          }
          const { models, modelFound, tookMs } = tested.value;
          // A server with one model answers with it, by whatever name it is asked for.
          if (modelFound === false && models.length !== 1) {
            const message = `It answers, but its default model ${model} is not among its ${models.length} models. Choose another one.`;
            return { ok: false, message, models: models.map(modelToWire(access)) };
          }
          const message = `It answers: ${models.length} models, in ${tookMs} ms.`;
          return { ok: true, message, models: models.map(modelToWire(access)) };
        } finally {
          provider.close();
        }
      }),
  };
}

/** With the context size that a turn would plan with. */
const modelToWire =
  (access: ProviderAccess) =>
  ({ id, contextLength, tools }: AiModel): Model => {
    const set = contextWindowOf(access, id);
    const planned =
      access.kind === "ollama" ? ollamaContextLength(set, contextLength) : (set ?? contextLength);
    return {
      id,
      ...(planned !== undefined && { contextWindow: planned }),
      ...(tools !== undefined && { tools }),
    };
  };

/** What the server said, without keys: it tells what our own sentence can't. */
function withDetail({ message, detail }: AiFailure): string {
  return detail === undefined ? message : `${message} (${detail})`;
}
