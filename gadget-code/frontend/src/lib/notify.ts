const toldKey = "gadget.told";
const declinedKey = "gadget.notifications.declined";
const most = 50;

function read(key: string): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Storage is off: it is known as long as the page.
  }
}

/** Whether the browser would ask for leave, and nobody has said no to the page's own question. */
export function mayOfferNotifications(): boolean {
  const isOpen = "Notification" in globalThis && Notification.permission === "default";
  return isOpen && read(declinedKey) === "";
}

export function declineNotifications(): void {
  write(declinedKey, "yes");
}

/** True once for each piece of news, in whichever tab and after however many reloads. */
function isNew(news: string): boolean {
  const told = read(toldKey).split(" ");
  if (told.includes(news)) {
    return false;
  }
  write(toldKey, [...told.slice(1 - most), news].join(" "));
  return true;
}

/** Tells somebody who is looking at something else. `news` names the piece of news. */
export function notify(news: string, title: string, body: string): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") {
    return;
  }
  if (!document.hidden || !isNew(news)) {
    return;
  }
  const shown = new Notification(title, { body, tag: title, icon: "/favicon.svg" });
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
  });
}
