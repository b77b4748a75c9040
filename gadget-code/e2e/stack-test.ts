import { ScriptedModel } from "@gadget/testing/scripted-model";
import { type BrowserContextOptions, test as base } from "@playwright/test";
import { cancelAll, signIn, startOwnedStack } from "./owner.ts";
import type { Stack } from "./stack.ts";

interface TestFixtures {
  /** Ends what the test left running: the next one has the same drone and workspace. */
  settled: void;
}

interface WorkerFixtures {
  /** One product for all files of a worker: what a test needs, it makes. */
  stack: Stack;
  /** The cookie of the stack's owner, who is signed in wherever a test says nothing else. */
  ownerState: Exclude<BrowserContextOptions["storageState"], string | undefined>;
  /** A model whose answers the test writes. */
  model: ScriptedModel;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  stack: [
    async ({ playwright: _ }, use) => {
      const stack = await startOwnedStack();
      await use(stack);
      await stack.stop();
    },
    { scope: "worker" },
  ],
  ownerState: [
    async ({ stack, playwright }, use) => {
      const request = await playwright.request.newContext();
      await signIn(request, stack);
      await use(await request.storageState());
      await request.dispose();
    },
    { scope: "worker" },
  ],
  storageState: ({ ownerState }, use) => use(ownerState),
  model: [
    async ({ playwright: _ }, use) => {
      const model = await ScriptedModel.start();
      await use(model);
      await model.stop();
    },
    { scope: "worker" },
  ],
  settled: [
    async ({ stack, ownerState, playwright }, use) => {
      await use();
      const request = await playwright.request.newContext({ storageState: ownerState });
      await cancelAll(request, stack);
      await request.dispose();
    },
    { auto: true },
  ],
});
