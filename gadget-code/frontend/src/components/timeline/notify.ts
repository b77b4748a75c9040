/** A run this long is worth a notification; before, nobody is asked whether they want any. */
const longMs = 30_000;

function maySuggest(): boolean {
  return "Notification" in globalThis && Notification.permission === "default";
}

/** Asks the browser once a run was long enough that somebody may have gone elsewhere. */
export function offerNotifications(ranMs: number): void {
  if (ranMs >= longMs && maySuggest()) {
    void Notification.requestPermission();
  }
}

/** Tells somebody who is looking at something else. */
export function notify(title: string, body: string): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") {
    return;
  }
  if (!document.hidden) {
    return;
  }
  const shown = new Notification(title, { body, tag: title, icon: "/favicon.svg" });
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
  });
}
