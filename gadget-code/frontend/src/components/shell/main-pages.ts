import { House, type LucideIcon, Server, Settings } from "lucide-react";

export interface MainPage {
  to: string;
  label: string;
  Icon: LucideIcon;
}

/** The pages that the sidebar and the bar of a phone lead to. */
export const mainPages = {
  home: { to: "/", label: "Home", Icon: House },
  drones: { to: "/drones", label: "Drones", Icon: Server },
  settings: { to: "/settings", label: "Settings", Icon: Settings },
} satisfies Record<string, MainPage>;
