/** Below 0: `a` is the older one. Numbers are compared as numbers; a pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let place = 0; place < Math.max(left.numbers.length, right.numbers.length); place += 1) {
    const difference = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  if (left.label === right.label) {
    return 0;
  }
  if (left.label === "" || right.label === "") {
    return left.label === "" ? 1 : -1;
  }
  return left.label.localeCompare(right.label, "en", { numeric: true });
}

function partsOf(version: string): { numbers: number[]; label: string } {
  const [core = "", ...label] = version.replace(/\+.*$/, "").split("-");
  return { numbers: core.split(".").map((part) => Number(part) || 0), label: label.join("-") };
}
