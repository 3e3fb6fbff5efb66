import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import {gather, type OtherObject} from '../fetch/gather.ts';
import {type KnownLoad, withRecording} from '../record/recordedBundle.ts';
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
 * @throws PageError if the page itself cannot be read; the signal's reason after an abort
 */
export async function gatherLocal(source: LocalSource, options: GatherLocalOptions): Promise<Bundle> {
  const {name, signal, leftOut = []} = options;
  const {objectBytes, pageBytes} = GATEWAY_LIMITS;
  let bytes = 0;
  try {
    const {recorded} = source;
    const {files, document} = await gather(source.address, {
      ...(recorded !== undefined && {others: othersOf(recorded)}),
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
          throw new FetchError(`with it, the page would have more than ${pageBytes} bytes`);
        bytes += length;
        return fetched;
      },
    });
    const bundle = {
      files,
      document: {
        ...document,
        address: name,
        // A recording lists what scripts and other elements loaded. So with a recording, `notLoaded` does not list
        // these elements.
        notLoaded: [...(recorded === undefined ? document.notLoaded : []), ...(source.unused?.() ?? [])],
        objects: document.objects.map(each => ({...each, address: source.nameOf(each.address)})),
        leftOut: [...leftOut, ...document.leftOut.map(each => ({...each, address: shownName(source, each.address)}))],
      },
    };
    return recorded === undefined ? bundle : withRecording(bundle, recorded);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new PageError(name, `cannot be opened: ${error.message}`);
  }
}

/** The objects that a browser requested besides the HTML. */
function othersOf({requests}: KnownLoad): readonly OtherObject[] {
  return requests.slice(1).map(({address, type}) => {
    return {address, kind: type === 'image' || type === 'font' || type === 'style' ? type : 'other'};
  });
}

/**
 * Returns the name that the user sees for a reference. A reference that is not an address is returned unchanged.
 */
function shownName(source: LocalSource, address: string): string {
  return URL.canParse(address) ? source.nameOf(address) : address;
}

/** Addresses of every scheme are allowed, because they are looked up among the files and no server is asked. */
const ANY = /^/;
