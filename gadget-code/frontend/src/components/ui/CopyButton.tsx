import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { showToast } from "../../lib/toast.ts";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) {
      return;
    }
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [isCopied]);

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      showToast("The browser did not allow copying. Select the text instead.", { tone: "error" });
    }
  };

  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={isCopied ? "Copied" : label}
      title={label}
      className="shrink-0 rounded p-1 text-faint hover:bg-hover hover:text-ink"
      onClick={() => void copy()}
    >
      <Icon aria-hidden="true" className="size-3.5" />
    </button>
  );
}
