import type { Page } from "@playwright/test";

export interface PageBytes {
  /** Over REST and the socket, answers and frames. */
  data: number;
  /** The page itself: its document, scripts, styles and pictures. */
  files: number;
}

/** Counts what a page receives from now on, as it comes over the network. */
export async function countBytes(page: Page): Promise<PageBytes> {
  const bytes: PageBytes = { data: 0, files: 0 };
  const devtools = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  devtools.on("Network.requestWillBeSent", ({ requestId, request }) => {
    paths.set(requestId, new URL(request.url).pathname);
  });
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const isData = paths.get(requestId)?.startsWith("/api/") ?? false;
    bytes[isData ? "data" : "files"] += encodedDataLength;
  });
  devtools.on("Network.webSocketFrameReceived", ({ response }) => {
    bytes.data += Buffer.byteLength(response.payloadData);
  });
  await devtools.send("Network.enable");
  return bytes;
}
