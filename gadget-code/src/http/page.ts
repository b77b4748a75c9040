import { readFile } from "node:fs/promises";
import { join } from "node:path";
import express, { type Router } from "express";

/** The built page: hashed files for ever, and index.html for every route of the page's own. */
export function pageRouter(folder: string): Router {
  const router = express.Router();
  router.use("/assets", express.static(join(folder, "assets"), { immutable: true, maxAge: "1y" }));
  router.use(express.static(folder, { index: false, maxAge: 0 }));
  router.get(/^\/(?!api\/|socket\.io\/).*/, async (_req, res) => {
    res.set({ "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" });
    res.send(await readFile(join(folder, "index.html"), "utf8").catch(() => notBuilt));
  });
  return router;
}

const notBuilt =
  "<!doctype html><title>Gadget Code</title><p>The page has not been built. Run <code>npm run build</code>.</p>";
