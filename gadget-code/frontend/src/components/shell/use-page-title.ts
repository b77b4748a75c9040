import { useEffect } from "react";

const product = "Gadget Code";
let page = "";
let waiting = 0;

function write(): void {
  const title = page === "" || page === product ? product : `${page} · ${product}`;
  document.title = waiting > 0 ? `(${waiting}) ${title}` : title;
}

/** The tab is named for the page that it shows. */
export function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) {
      return;
    }
    page = title;
    write();
    return () => {
      page = "";
      write();
    };
  }, [title]);
}

/** How many sessions wait for a person stands before it. */
export function setWaiting(count: number): void {
  waiting = count;
  write();
}
