const units = ["bytes", "kB", "MB", "GB"] as const;

/** 12 bytes · 3.4 kB · 1.9 MB */
export function byteSize(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = Math.round((bytes / 1_000 ** power) * 10) / 10;
  return `${value} ${units[power]}`;
}
