import {protocol} from 'electron';
import {CONTENT_SECURITY_POLICY} from '../contentSecurityPolicy.ts';
import {readAsset} from '../rendererAsset.ts';

/** Address of the renderer, which this program serves to itself. */
export const WINDOW_URL = 'app://interleave/';
const HOST = new URL(WINDOW_URL).host;

/**
 * Serves the built renderer, and nothing else, under the scheme `app:`. With the scheme `file:`, pages could read every
 * file.
 */
export function setupAssets(folder: string): void {
  protocol.handle('app', request => {
    const {host, username, pathname} = new URL(request.url);
    // a page at another host would have another origin, even if it were the same page
    const isOurs = host === HOST && username === '';
    const asset = isOurs ? readAsset(folder, pathname) : undefined;
    if (asset === undefined) return new Response('no such file', {status: 404});
    return new Response(asset.bytes as Uint8Array<ArrayBuffer>, {
      headers: {
        'Content-Type': asset.contentType,
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        'X-Content-Type-Options': 'nosniff',
      },
    });
  });
}
