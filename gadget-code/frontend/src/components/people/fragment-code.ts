/** `#code=…`: the fragment of an address is sent to no server and stands in no log. */
export function fragmentCode(hash = location.hash): string {
  return new URLSearchParams(hash.replace(/^#/, "")).get("code") ?? "";
}
