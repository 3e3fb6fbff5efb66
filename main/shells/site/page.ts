import type {Host} from '../../../app/host/contract.ts';
import coreAddress from '../../../native/wasm/interleave.wasm?url';
import engineWorker from './engineWorker.ts?worker&url';
import {openedInAddress} from './openedInAddress.ts';
import openWorker from './openWorker.ts?worker&url';
import {setCore} from './platform/workerThreads.ts';
import {openSiteHost} from './siteHost.ts';

// This module is the first script of the web edition's pages. (Only the pages that paint movies have stage.ts instead.)
// It makes the host, which answers the calls of the window, as Electron's preload script does.

/** The time from the event `load` of the page until the browser begins to fetch the files for offline use. */
const OFFLINE_AFTER_MS = 2000;

const here = import.meta.url;
const isEmbedded = document.documentElement.dataset['page'] === 'embed';

setCore(compiledCore());

const root = new URL('..', here);
const {host, emit} = openSiteHost({
  root,
  engineWorker: new URL(engineWorker, here),
  openWorker: new URL(openWorker, here),
  opened: openedInAddress(location.hash),
  isRemembered: !isEmbedded,
});
(window as {interleave?: Host}).interleave = host;

addEventListener('hashchange', () => {
  const opened = openedInAddress(location.hash);
  if (opened !== null) emit('opened', opened);
});

// an embedded window does not store the site for offline use
if (!isEmbedded && 'serviceWorker' in navigator) {
  // the files for offline use must not delay the first run
  addEventListener('load', () => setTimeout(registerServiceWorker, OFFLINE_AFTER_MS));
}

/** Makes the site work offline. A browser may refuse that, for example in a private window. */
async function registerServiceWorker(): Promise<void> {
  try {
    await navigator.serviceWorker.register(new URL('sw.js', root));
  } catch {
    // the site works as long as there is a network
  }
}

async function compiledCore(): Promise<WebAssembly.Module> {
  const response = await fetch(new URL(coreAddress, here));
  if (!response.ok) throw new Error(`the network core cannot be fetched (status ${response.status})`);
  // some servers send the file without its type, which streaming requires
  const isTyped = response.headers.get('content-type') === 'application/wasm';
  return isTyped ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}
