/** An absolute address without its fragment. Undefined if the reference is not valid, or is relative without a base. */
export function absoluteAddress(reference: string, base?: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  url.hash = '';
  return url.href;
}
