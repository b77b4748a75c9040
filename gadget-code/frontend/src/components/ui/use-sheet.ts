import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router";

interface Sheet {
  isOpen: boolean;
  open: () => void;
  close: () => void;
}

function nameIn(state: unknown): unknown {
  return typeof state === "object" && state !== null ? Reflect.get(state, "sheet") : undefined;
}

/** What covers a phone's page is a step of its history: back closes it, and so does Esc. */
export function useSheet(name: string): Sheet {
  const location = useLocation();
  const navigate = useNavigate();
  const isOpen = nameIn(location.state) === name;
  useEffect(() => {
    if (!isOpen) {
      return;
    }
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) {
        return;
      }
      event.preventDefault();
      void navigate(-1);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [isOpen, navigate]);
  return {
    isOpen,
    open: () => void navigate(location, { state: { sheet: name } }),
    close: () => void navigate(-1),
  };
}
