import {encodedResponse} from '../response.ts';

/**
 * Encodes an HTTP/1.1 response with a status such as `200 OK`. The head is padded to `headerBytes` bytes if it is
 * shorter.
 */
export function encodeResponse(status: string, contentType: string, body: Uint8Array, headerBytes: number): Uint8Array {
  const [code = '', ...words] = status.split(' ');
  return encodedResponse({
    object: null,
    status: Number(code),
    statusText: words.join(' '),
    contentType,
    body,
    headerBytes,
  });
}
