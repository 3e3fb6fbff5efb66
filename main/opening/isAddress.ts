/** Whether a page's name is an address of the web. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name) && URL.canParse(name);
}
