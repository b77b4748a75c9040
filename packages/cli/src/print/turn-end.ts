import { type ChatTurn, duration, stoppedWords, type Usage } from "@gadget/api";
import { turnMark } from "./mark.ts";
import { plainText } from "./plain-text.ts";
import type { Style } from "./style.ts";

/** How a turn ended, in a line, and the receipt of an abort under it. */
export function turnEnd(turn: ChatTurn, style: Style): string[] {
  const { status, startedAt, settledAt, stopped } = turn;
  const took =
    startedAt === undefined || settledAt === undefined
      ? undefined
      : duration(Date.parse(settledAt) - Date.parse(startedAt));
  const why = turn.errorMessage === undefined ? "" : `: ${plainText(turn.errorMessage)}`;
  const head = [`${word(turn)}${took === undefined ? "" : ` after ${took}`}${why}`];
  if (stopped === undefined) {
    head.push(usage(turn.usage), files(turn));
  }
  const lines = [turnMark(status, style, head.filter((part) => part !== "").join(" · "))];
  if (stopped !== undefined) {
    const receipt = [stoppedWords(stopped), files(turn)];
    lines.push(style("grey", `  ${receipt.filter((part) => part !== "").join(" · ")}`));
  }
  return lines;
}

function word({ status, abortedBy, abortRequestedAt }: ChatTurn): string {
  if (status !== "aborted") {
    return abortRequestedAt === undefined ? status : `${status} before the abort reached it`;
  }
  return abortedBy === undefined ? status : `${status} by ${plainText(abortedBy.name)}`;
}

export function usage({ inputTokens, outputTokens, estimated }: Usage): string {
  if (inputTokens === 0 && outputTokens === 0) {
    return "";
  }
  const about = estimated === true ? "≈" : "";
  return `${about}${inputTokens} tokens in, ${about}${outputTokens} out`;
}

export function files({ filesChanged: { length } }: ChatTurn): string {
  if (length === 0) {
    return "";
  }
  return `${length} ${length === 1 ? "file" : "files"} changed`;
}
