import { House, type LucideIcon, Server, Settings } from "lucide-react";

interface MainPage {
  to: string;
  label: string;
  Icon: LucideIcon;
}

/** The pages that the sidebar and the bar of a phone lead to. */
export const homePage: MainPage = { to: "/", label: "Home", Icon: House };
export const otherPages: readonly MainPage[] = [
  { to: "/drones", label: "Drones", Icon: Server },
  { to: "/settings", label: "Settings", Icon: Settings },
];
