import type { ProviderTest } from "@gadget/api";
import { CircleCheck, CircleX } from "lucide-react";

export function TestResult({ test }: { test: ProviderTest }) {
  const Icon = test.ok ? CircleCheck : CircleX;
  return (
    <p
      role="status"
      className={`flex items-start gap-2 text-[13px] ${test.ok ? "text-green" : "text-danger"}`}
    >
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span>{test.message}</span>
    </p>
  );
}
