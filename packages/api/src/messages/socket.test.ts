import { describe, expectTypeOf, it } from "vitest";
import type { TurnId } from "../id.ts";
import type { droneCommands } from "./drone.ts";
import type { AbortWorkOrderMessage, ideCommands, ideNotices } from "./ide.ts";
import type { CommandHandlers, NoticeHandlers } from "./serve.ts";
import type { ClientToServerEvents, ServerToClientEvents } from "./socket.ts";

// Checked by the compiler: a line that stops failing to compile fails the type check.
describe("the socket types", () => {
  it("abortWorkOrder has one form in both directions", () => {
    type FromPage = ClientToServerEvents<"ide">["abortWorkOrder"];
    type ToDrone = ServerToClientEvents<"drone">["abortWorkOrder"];
    expectTypeOf<AbortWorkOrderMessage>().toExtend<FromPage>();
    expectTypeOf<AbortWorkOrderMessage>().toExtend<ToDrone>();
  });

  it("workOrderComplete keeps its signature", () => {
    type Args = Parameters<ServerToClientEvents<"ide">["workOrderComplete"]>;
    expectTypeOf<Args>().toEqualTypeOf<[TurnId, boolean, (string | undefined)?]>();
    type FromDrone = Parameters<ClientToServerEvents<"drone">["workOrderComplete"]>;
    expectTypeOf<[TurnId, true, "aborted"]>().toExtend<FromDrone>();
  });

  it("an unknown event and a misspelt field do not compile", () => {
    const turnId = "12345678" as TurnId;
    const handlers: Partial<CommandHandlers<typeof ideCommands>> = {
      // @ts-expect-error there is no such event
      abortWorkOrders: () => ({ success: true }),
    };
    const notices: NoticeHandlers<typeof ideNotices> = {
      // @ts-expect-error the event has no field `turnID`
      turnEvents: ({ turnID }) => turnID,
    };
    const drone: Partial<CommandHandlers<typeof droneCommands>> = {
      // @ts-expect-error the answer's field is `storedSeq`
      turnEvents: () => ({ stored: 1 }),
    };
    const emit: ClientToServerEvents<"ide">["submitPrompt"] = () => {};
    // @ts-expect-error the field is `prompt`
    emit({ sessionId: "12345678", turnId, promt: "hello" }, () => {});
    expectTypeOf(handlers).not.toBeAny();
    expectTypeOf(notices).not.toBeAny();
    expectTypeOf(drone).not.toBeAny();
  });
});
