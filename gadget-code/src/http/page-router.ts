import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import express, { type Request, type Response, type Router } from "express";

/** The built page: hashed files for ever, and index.html for every route of the page's own. */
export function pageRouter(folder: string): Router {
  const router = express.Router();
  router.get(/^\/assets\/[\w.-]+$/, compressed(folder));
  router.use("/assets", express.static(join(folder, "assets"), { immutable: true, maxAge: "1y" }));
  router.use(express.static(folder, { index: false, maxAge: 0 }));
  router.get(/^\/(?!api\/|socket\.io\/).*/, async (_req, res) => {
    res.set({ "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" });
    res.send(await readFile(join(folder, "index.html"), "utf8").catch(() => notBuilt));
  });
  return router;
}

const text = new Set([".js", ".css", ".svg"]);
/** The better one first: browsers name all that they can read, in any order. */
const codings = ["br", "gzip"] as const;
const deflate = {
  br: (body: Buffer) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    return promisify(brotliCompress)(body, { params });
  },
  gzip: (body: Buffer) => promisify(gzip)(body),
};

/** Each file is compressed once: its name is a hash of what is in it. */
function compressed(folder: string) {
  const made = new Map<string, Promise<Buffer>>();
  return async (req: Request, res: Response, next: () => void): Promise<void> => {
    const type = extname(req.path);
    const coding = codings.find((each) => req.acceptsEncodings(each) === each);
    if (!text.has(type) || coding === undefined) {
      return next();
    }
    const key = `${coding} ${req.path}`;
    try {
      const making = made.get(key) ?? readFile(join(folder, req.path)).then(deflate[coding]);
      made.set(key, making);
      const body = await making;
      res.set({ "Cache-Control": "public, max-age=31536000, immutable", Vary: "Accept-Encoding" });
      res.type(type).set("Content-Encoding", coding).send(body);
    } catch {
      // There is no such file; what comes next says so.
      made.delete(key);
      next();
    }
  };
}

const notBuilt =
  "<!doctype html><title>Gadget Code</title><p>The page has not been built. Run <code>npm run build</code>.</p>";
