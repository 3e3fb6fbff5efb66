/**
 * Resolves a reference to an absolute address without fragment. Returns undefined if the reference is invalid, or if it
 * is relative and there is no base.
 */
export function absoluteAddress(reference: string, base?: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  url.hash = '';
  return url.href;
}

/** Returns an address without its fragment. The address need not be valid. */
export function withoutFragment(address: string): string {
  return address.split('#')[0] ?? '';
}
