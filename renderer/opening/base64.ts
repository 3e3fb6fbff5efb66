/** Bytes as the host takes them. */
export async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS) {
    text += String.fromCharCode(...bytes.subarray(at, at + MOST_ARGUMENTS));
  }
  return btoa(text);
}

/** Engines take more in one call; not all of them far more. */
const MOST_ARGUMENTS = 32_768;
