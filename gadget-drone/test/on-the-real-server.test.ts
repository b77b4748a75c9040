import { afterAll, describe } from "vitest";
import { RealServer } from "./support/real-server.ts";
import { useRealServer } from "./support/test-drone.ts";

const server = await RealServer.start();
useRealServer(server);
afterAll(() => server.stop());

// The same promises once more, given as orders by a page of the real server.
describe("on the real server: abort", async () => {
  await import("./abort.test.ts");
});
describe("on the real server: shell", async () => {
  await import("./shell.test.ts");
});
describe("on the real server: conversation", async () => {
  await import("./conversation.test.ts");
});
describe("on the real server: files", async () => {
  await import("./files.test.ts");
});
