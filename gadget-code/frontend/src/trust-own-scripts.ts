interface TrustedTypes {
  createPolicy(name: "default", rules: { createScriptURL: (url: string) => string }): unknown;
}

/**
 * The page's content policy lets no text become markup or code. The one thing that is started by
 * an address is a worker of our own; where the browser knows trusted types, no other may be.
 */
export function trustOwnScripts(): void {
  const trustedTypes: unknown = Reflect.get(window, "trustedTypes");
  if (!isTrustedTypes(trustedTypes)) {
    return;
  }
  trustedTypes.createPolicy("default", {
    createScriptURL(url) {
      if (new URL(url, location.href).origin === location.origin) {
        return url;
      }
      throw new TypeError(`${url} is no script of this page.`);
    },
  });
}

function isTrustedTypes(value: unknown): value is TrustedTypes {
  return typeof value === "object" && value !== null && "createPolicy" in value;
}
