/** The same for the same bytes, measured under the same conditions. */
export async function contentKey(body: Uint8Array, conditions: readonly unknown[]): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>));
  const hash = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('');
  return `${hash} ${JSON.stringify(conditions)}`;
}
