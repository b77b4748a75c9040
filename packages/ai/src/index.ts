export type * from "./api.ts";
export { type Compaction, type CompactionOptions, compactHistory } from "./compaction.ts";
export {
  type ContextMeasure,
  type ContextMeasureOptions,
  measureContext,
} from "./context-meter.ts";
export { type AiProviderConfig, createProvider } from "./create-provider.ts";
export { type AiFailure, type AiFailureKind, aiFailureKinds, makeFailure } from "./failure.ts";
export { toolOutcomeTexts } from "./history.ts";
export { ollamaContextLength } from "./ollama.ts";
export type { RetryTable } from "./retry.ts";
export { safeCut } from "./safe-cut.ts";
export { shorten } from "./shorten.ts";
export { argumentLimits } from "./tool-arguments.ts";
