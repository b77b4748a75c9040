export type * from "./api.ts";
export { type AiFailure, type AiFailureKind, aiFailureKinds } from "./failure.ts";
