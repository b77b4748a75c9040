export { type DemoModel, type DemoModelOptions, startDemoModel } from "./demo-model.ts";
export { type DemoSuggestion, demoScripts } from "./suggestions.ts";
