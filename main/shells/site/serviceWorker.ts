// The service worker of the web edition. It makes the site work offline after the first visit. This script imports
// nothing, because browsers load it as a classic script. The build (main/setup/site.mjs) adds the two constants.

/** The paths of the files of the site, except hidden files and this script, relative to the site's folder. */
declare const INTERLEAVE_FILES: readonly string[];
/** A hash of these files and this script. It is part of the cache's name, so that the files of two builds never mix. */
declare const INTERLEAVE_BUILD: string;

/** The parts of a service worker's scope that this script uses. The types of the DOM do not have them. */
interface Scope {
  readonly registration: {readonly scope: string};
  readonly clients: {claim(): Promise<void>};
  addEventListener(type: 'install' | 'activate', listener: (event: Waiting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
}

interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}

interface Fetching {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const scope = self as unknown as Scope;
const folder = scope.registration.scope;
const prefix = `interleave ${folder} `;
const own = prefix + INTERLEAVE_BUILD;
const known = new Set(INTERLEAVE_FILES.map(file => new URL(file, folder).href));

scope.addEventListener('install', event => {
  event.waitUntil(caches.open(own).then(cache => Promise.all(INTERLEAVE_FILES.map(file => keep(cache, file)))));
});

scope.addEventListener('activate', event => {
  event.waitUntil(removeOthers().then(() => scope.clients.claim()));
});

scope.addEventListener('fetch', event => {
  const {request} = event;
  const file = fileOf(request.url);
  if (request.method === 'GET' && known.has(file)) event.respondWith(answer(request, file));
});

/** Stores a file of the site. @throws Error if the server does not send it */
async function keep(cache: Cache, file: string): Promise<void> {
  const address = new URL(file, folder);
  // files in assets/ have their hash in their name, so the browser's own cache may have them already
  const response = await fetch(address, {cache: file.startsWith('assets/') ? 'default' : 'no-cache'});
  if (!response.ok) throw new Error(`${file} cannot be fetched (status ${response.status})`);
  // Some servers redirect `index.html` to its folder. A redirected response cannot be the answer to a navigation.
  const {headers} = response;
  await cache.put(address, response.redirected ? new Response(await response.arrayBuffer(), {headers}) : response);
}

/** Removes the caches of earlier builds. A new build is activated only when no window of the old build is open. */
async function removeOthers(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name.startsWith(prefix) && name !== own).map(name => caches.delete(name)));
}

async function answer(request: Request, file: string): Promise<Response> {
  const cache = await caches.open(own);
  return (await cache.match(file)) ?? fetch(request);
}

/** The file that a server sends for an address. */
function fileOf(address: string): string {
  const url = new URL(address);
  url.hash = '';
  url.search = '';
  if (url.href === new URL('embed', folder).href) return new URL('embed/index.html', folder).href;
  return url.pathname.endsWith('/') ? new URL('index.html', url).href : url.href;
}
