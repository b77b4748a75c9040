import { packages } from "./scripts/checks/packages.mjs";

const all = Object.values(packages).map(({ folder }) => folder);

/** @param {string[]} folders */
const under = (folders) => `^(${folders.join("|")})/`;

const acrossPackages = Object.entries(packages).map(([name, { folder, mayImport }]) => ({
  name: `${name}-imports-only-what-it-may`,
  severity: "error",
  from: { path: under([folder]) },
  to: {
    path: under(all),
    pathNot: under([folder, ...mayImport.map((other) => packages[other]?.folder ?? other)]),
  },
}));

/** Inside the server, from the outside in: what a folder must not import. */
const insideServer = [
  { from: "turns", to: "lib|http" },
  { from: "models", to: "lib|http|turns" },
  { from: "drones", to: "lib|http|turns" },
].map(({ from, to }) => ({
  name: `server-${from}-imports-nothing-above-it`,
  severity: "error",
  from: { path: `^gadget-code/src/${from}/` },
  to: { path: `^gadget-code/src/(${to})/` },
}));

export default {
  forbidden: [
    ...acrossPackages,
    ...insideServer,
    {
      name: "only-lib-knows-socket.io",
      comment: "Publishing is injected: nothing below the sockets' folder imports socket.io.",
      severity: "error",
      from: { path: "^gadget-code/src/[^/]+/", pathNot: "^gadget-code/src/lib/" },
      to: { path: "(^|/)(socket\\.io|@socket\\.io)(/|$)" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-tests-in-source",
      severity: "error",
      from: {},
      to: { path: "\\.(test|bench|e2e)\\.tsx?$|^[^.]*/(test|bench|e2e)/" },
    },
  ],
  options: {
    // With TypeScript 7 the default parser sees no module at all, and then reports no violation.
    parser: "swc",
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: "\\.test\\.tsx?$" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json", ".css"],
    },
  },
};
