import { expect, it } from "vitest";
import { start } from "./start.mjs";

it("names an option that it does not know", async () => {
  await expect(start(["--port=1"], {})).rejects.toThrow(
    '"--port=1" is no option of npm start: "npm start -- --help" lists them.',
  );
});
