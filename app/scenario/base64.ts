/** Bytes in the alphabet of RFC 4648 §4, padded. */
export function base64(bytes: Uint8Array): string {
  return btoa(latin1(bytes));
}

/** One character per byte, in slices: a call takes no more arguments than the stack holds. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return text;
}

const SLICE_BYTES = 8192;

// HTML, in every host; app/ is compiled without any host's types.
declare const btoa: (latin1: string) => string;
