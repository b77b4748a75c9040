import { type SessionId, TurnId } from "@gadget/api";

/**
 * What the user typed and the server has not acknowledged. `draft` is what stands in the
 * composer; `sending` is what was sent under a turn id and may or may not have arrived.
 */
export interface Sending {
  turnId: TurnId;
  text: string;
}

const draftKey = (sessionId: SessionId) => `gadget.draft.${sessionId}`;
const sendingKey = (sessionId: SessionId) => `gadget.sending.${sessionId}`;

function readItem(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function writeItem(key: string, value: string): void {
  try {
    if (value === "") {
      localStorage.removeItem(key);
    } else {
      localStorage.setItem(key, value);
    }
  } catch {
    // Storage is off or full: the text lives as long as the page.
  }
}

export function readDraft(sessionId: SessionId): string {
  return readItem(draftKey(sessionId)) ?? "";
}

export function writeDraft(sessionId: SessionId, text: string): void {
  writeItem(draftKey(sessionId), text);
}

export function readSending(sessionId: SessionId): Sending | undefined {
  const [id, text] = splitOnce(readItem(sendingKey(sessionId)) ?? "");
  try {
    return text === "" ? undefined : { turnId: TurnId.parse(id), text };
  } catch {
    return undefined;
  }
}

export function writeSending(sessionId: SessionId, sending: Sending | undefined): void {
  const value = sending === undefined ? "" : `${sending.turnId} ${sending.text}`;
  writeItem(sendingKey(sessionId), value);
}

function splitOnce(value: string): [string, string] {
  const space = value.indexOf(" ");
  return space < 0 ? ["", ""] : [value.slice(0, space), value.slice(space + 1)];
}
