/** Bytes of the store's file that hold nothing: all of its pages without those of its tables. */
export function freeBytes(root: object, tables: readonly object[]): number {
  const used = [part(root, "root"), part(root, "free"), ...tables].map(
    (table) =>
      count(table, "treeBranchPageCount") +
      count(table, "treeLeafPageCount") +
      count(table, "overflowPages"),
  );
  const pages = count(root, "lastPageNumber") + 1;
  return (pages - used.reduce((sum, each) => sum + each, 0)) * count(root, "pageSize");
}

function part(stats: object, name: string): object {
  const value: unknown = Reflect.get(stats, name);
  return typeof value === "object" && value !== null ? value : {};
}

function count(stats: object, name: string): number {
  const value: unknown = Reflect.get(stats, name);
  return typeof value === "number" ? value : 0;
}
