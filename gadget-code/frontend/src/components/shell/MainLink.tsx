import { NavLink } from "react-router";
import type { homePage } from "./main-pages.ts";

interface Props {
  page: typeof homePage;
  className: string;
  iconSize: string;
}

export function MainLink({ page: { to, label, Icon }, className, iconSize }: Props) {
  return (
    <NavLink to={to} end={to === "/"} className={className}>
      <Icon aria-hidden="true" className={iconSize} />
      {label}
    </NavLink>
  );
}
