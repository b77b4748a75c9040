/** The key that shortcuts are named with; either works everywhere. */
export const modKey = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl";
