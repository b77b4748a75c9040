/**
 * Whether a key belongs to a composition of letters and not to the page. 229: Safari reports the
 * key that ends a composition after it has ended.
 */
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
