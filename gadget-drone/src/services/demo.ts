import type { DemoModel } from "@gadget/demo-model";

/** The scripted model: started at its first use, on the drone's own loopback. */
export class Demo {
  #starting: Promise<DemoModel> | undefined;

  async access(): Promise<{ baseUrl: string; apiKey: string }> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async close(): Promise<void> {
    await (await this.#starting)?.close();
  }

  async #start(): Promise<DemoModel> {
    try {
      const { startDemoModel } = await import("@gadget/demo-model");
      return await startDemoModel();
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }
}
