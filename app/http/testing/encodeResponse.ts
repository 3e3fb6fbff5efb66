import {encodedResponse} from '../response.ts';

/** An HTTP/1.1 response with a status such as `200 OK` and a header of exactly `headerBytes`, unless it needs more. */
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
