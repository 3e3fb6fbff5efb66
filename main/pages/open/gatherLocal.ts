import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import {gather} from '../fetch/gather.ts';
import type {Bundle, LeftOut} from '../store/bundle.ts';
import type {LocalSource} from './localSource.ts';

export interface GatherLocalOptions {
  /** The name of the page that is shown to the user. */
  readonly name: string;
  readonly signal: AbortSignal;
  /** Objects that are already known to be left out. */
  readonly leftOut?: readonly LeftOut[];
}

/**
 * Makes a bundle of a local page, as the gateway would if the page were on the web. The gateway's limits on bytes also
 * apply here.
 * @throws PageError if the page itself cannot be read
 */
export async function gatherLocal(source: LocalSource, options: GatherLocalOptions): Promise<Bundle> {
  const {name, signal, leftOut = []} = options;
  const {objectBytes, pageBytes} = GATEWAY_LIMITS;
  let bytes = 0;
  try {
    const {files, document} = await gather(source.address, {
      // objects are read one at a time, so that the same files always make the same bundle
      limits: {...GATEWAY_LIMITS, parallel: 1},
      date: new Date(),
      schemes: ANY,
      get: async address => {
        signal.throwIfAborted();
        const fetched = await source.get(address);
        const {length} = fetched.body;
        if (length > objectBytes) throw new FetchError(`it has more than ${objectBytes} bytes`);
        if (bytes + length > pageBytes)
          throw new FetchError(`the page would have more than ${pageBytes} bytes with it`);
        bytes += length;
        return fetched;
      },
    });
    return {
      files,
      document: {
        ...document,
        address: name,
        notLoaded: [...document.notLoaded, ...(source.unused?.() ?? [])],
        objects: document.objects.map(each => ({...each, address: source.nameOf(each.address)})),
        leftOut: [...leftOut, ...document.leftOut.map(each => ({...each, address: shownName(source, each.address)}))],
      },
    };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new PageError(name, `cannot be opened: ${error.message}`);
  }
}

/**
 * Returns the name of a reference that is shown to the user. A reference that is not an address is returned unchanged.
 */
function shownName(source: LocalSource, address: string): string {
  return URL.canParse(address) ? source.nameOf(address) : address;
}

/** Addresses of every scheme are allowed, because they are looked up among the files and no server is asked. */
const ANY = /^/;
