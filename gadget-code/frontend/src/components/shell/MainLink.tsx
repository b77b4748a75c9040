import { NavLink } from "react-router";
import type { MainPage } from "./main-pages.ts";

interface Props {
  page: MainPage;
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
