import type { PrepareHistory, ResultLimit } from "@gadget/agent";
import { type AiTool, measureContext } from "@gadget/ai";
import { charactersPerToken, fitResults } from "./fit-results.ts";
import type { ModelWindow } from "./model-window.ts";
import { hasImage, withoutImages } from "./without-images.ts";

/** A subagent's history is trimmed, not summarised: so many results should fit into it. */
const resultShare = 0.15;
const fewestCharacters = 3_000;
const fullestShare = 0.8;

/** What subagents may be given to read by the turn's model. */
export function childHistory(
  window: ModelWindow,
  tools: readonly AiTool[],
): { prepareHistory: PrepareHistory; resultLimit: ResultLimit } {
  return {
    prepareHistory: async (messages, signal, refused) => {
      if (refused?.kind === "no_images") {
        window.learn({ images: false });
      }
      if (refused?.contextLength !== undefined) {
        window.learn({ contextLength: refused.contextLength });
      }
      const { images, contextLength } = await window.look(signal);
      const blind = images === false && messages.some(hasImage);
      const seen = blind ? withoutImages(messages) : messages;
      const room = (contextLength * fullestShare) / window.ratio;
      const { tokens } = measureContext({ messages: seen, tools, contextLength });
      if (tokens <= room && (refused === undefined || blind)) {
        return { ok: true, value: seen };
      }
      const beside = measureContext({ messages: [], tools, contextLength }).tokens;
      const share = refused === undefined ? 1 : room / Math.max(room, tokens) / 2;
      const fitted = fitResults(seen, room * share - beside, new WeakMap());
      if (fitted !== undefined) {
        return { ok: true, value: fitted };
      }
      return refused === undefined ? { ok: true, value: seen } : { ok: false, failure: refused };
    },
    resultLimit: async ({ atOnce }, signal) => {
      const { contextLength } = await window.look(signal);
      const room = (contextLength * resultShare * charactersPerToken) / window.ratio;
      return Math.max(fewestCharacters, Math.floor(room / atOnce));
    },
  };
}
