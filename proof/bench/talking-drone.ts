import { setTimeout as delay } from "node:timers/promises";
import type { WorkOrder } from "@gadget/api";
import { ScriptedDrone } from "../../gadget-code/test/turns/scripted-drone.ts";

/** A process with one scripted drone: every turn that it is given says a token every 20 ms. */
const [url = "", id = "", credential = "", tokens = "0"] = process.argv.slice(2);
const drone = new ScriptedDrone(url, id, credential);
const { heartbeatMs } = await drone.connect();
setInterval(() => void drone.heartbeat().catch(() => {}), heartbeatMs);
process.stdout.write("is online\n");

async function talk({ turnId }: WorkOrder): Promise<void> {
  await drone.send(turnId, { type: "text:start", partId: "a" });
  let text = "";
  const begun = performance.now();
  for (let token = 1; token <= Number(tokens); token += 1) {
    const stamp = `${performance.timeOrigin + performance.now()} `;
    text += stamp;
    void drone.send(turnId, { type: "text:delta", partId: "a", text: stamp }).catch(() => {});
    await delay(Math.max(0, begun + token * 20 - performance.now()));
  }
  await drone.send(turnId, { type: "text:end", partId: "a", text });
  await drone.complete(turnId, true);
}

for (;;) {
  void talk(await drone.order());
}
