import type { FileDiff } from "@gadget/api";
import { DiffView } from "../code/DiffView.tsx";

export function DiffList({ files }: { files: readonly FileDiff[] }) {
  return files.map(({ file, diff }) => (
    <DiffView key={file.path} path={`${file.path}  +${file.added} −${file.removed}`} diff={diff} />
  ));
}
