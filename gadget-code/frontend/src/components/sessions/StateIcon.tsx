import {
  Ban,
  CircleAlert,
  CircleDot,
  CircleX,
  Hand,
  LoaderCircle,
  TriangleAlert,
} from "lucide-react";
import type { SessionWord } from "./session-word.ts";

const icons: Record<SessionWord, { Icon: typeof CircleDot; look: string }> = {
  idle: { Icon: CircleDot, look: "text-line-strong" },
  working: { Icon: LoaderCircle, look: "text-blue animate-spin" },
  aborting: { Icon: LoaderCircle, look: "text-yellow animate-spin" },
  "needs you": { Icon: Hand, look: "text-orange" },
  error: { Icon: CircleX, look: "text-danger" },
  interrupted: { Icon: TriangleAlert, look: "text-orange" },
  aborted: { Icon: Ban, look: "text-yellow" },
};

/** A session's state; its word is there for those who can't see the colour. */
export function StateIcon({ word }: { word: SessionWord }) {
  const { Icon, look } = icons[word] ?? { Icon: CircleAlert, look: "" };
  return (
    <>
      <Icon aria-hidden="true" className={`size-3.5 shrink-0 ${look}`} />
      <span className="sr-only">{word}</span>
    </>
  );
}
