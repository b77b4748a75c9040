import { join } from "node:path";

/** A dump is a folder a database, and two files a collection: documents and indexes. */
const documentsSuffix = ".jsonl";
const indexesSuffix = ".indexes.json";

export interface CollectionFiles {
  documents: string;
  indexes: string;
}

/** Names may hold characters that file systems refuse. */
export function databaseFolder(root: string, db: string): string {
  return join(root, encodeURIComponent(db));
}

export function collectionFiles(folder: string, collection: string): CollectionFiles {
  const base = join(folder, encodeURIComponent(collection));
  return { documents: base + documentsSuffix, indexes: base + indexesSuffix };
}

export function collectionOf(file: string): string | undefined {
  return file.endsWith(documentsSuffix)
    ? decodeURIComponent(file.slice(0, -documentsSuffix.length))
    : undefined;
}
