/** An address without its fragment; undefined if it is none. Without a base it has to be whole. */
export function resolved(reference: string, base?: string): string | undefined {
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  url.hash = '';
  return url.href;
}
