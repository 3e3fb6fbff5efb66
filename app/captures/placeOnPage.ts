import type {Page, PageObject} from '../page/page.ts';
import type {DeliveryColumns, ObjectTrace, PieceColumns, TraceData} from '../run/trace/traceData.ts';
import type {CapturedExchange} from './capturedLoad.ts';

/**
 * Gives the objects of a captured trace the numbers and names that they have on its page, so that panes can show their
 * contents. Objects that are not part of the page follow those of the page. A page stores its contents without content
 * coding such as gzip, but a capture counts the bytes that were sent. So the bytes of deliveries are scaled to the
 * stored size. `exchanges` must be those from which the trace was made.
 */
export function placeOnPage(
  data: TraceData,
  exchanges: readonly CapturedExchange[],
  page: Pick<Page, 'objects'>,
): TraceData {
  const own = exchangesOfObjects(exchanges, page.objects);
  const used = new Set(own);
  const others = data.objects.map((_, i) => i).filter(i => !used.has(i));
  const order = [...own, ...others];
  const numbers = new Uint32Array(data.objects.length);
  for (const [number, i] of order.entries()) if (i !== undefined) numbers[i] = number;
  const objects = order.map((i, number): ObjectTrace => {
    const {url, body} = page.objects[number] ?? {url: undefined, body: null};
    const object = i === undefined ? undefined : data.objects[i];
    if (object === undefined) return {...NEVER, url: url ?? ''};
    return {...object, url: url ?? object.url, bytes: sizeOf(object, body)};
  });
  const renumbered = (pieces: PieceColumns): PieceColumns => ({
    ...pieces,
    object: pieces.object.map(i => numbers[i] ?? 0),
  });
  return {
    ...data,
    objects,
    deliveries: stretched(
      {...data.deliveries, object: data.deliveries.object.map(i => numbers[i] ?? 0)},
      objects,
      order,
      data,
    ),
    chunkPieces: renumbered(data.chunkPieces),
    blockedPieces: renumbered(data.blockedPieces),
  };
}

/** An object of the page that the captured load did not request. */
const NEVER: Omit<ObjectTrace, 'url'> = {
  bytes: 0,
  connection: null,
  stream: null,
  discoveredNs: null,
  requestNs: null,
  firstByteNs: null,
  completeNs: null,
  failedNs: null,
  failure: null,
};

/**
 * Returns for each object of the page the index of the exchange with its address: the first complete one with a status
 * below 300, or else the first one. Undefined if there is none, or if an earlier object has the same address.
 */
export function exchangesOfObjects(
  exchanges: readonly CapturedExchange[],
  objects: readonly Pick<PageObject, 'address'>[],
): readonly (number | undefined)[] {
  const byAddress = new Map<string, number>();
  for (const [i, {url, status, completeNs}] of exchanges.entries()) {
    const [address = ''] = url.split('#');
    const known = exchanges[byAddress.get(address) ?? -1];
    const isBetter = completeNs !== null && status !== null && status < 300;
    const isKnownGood = known !== undefined && known.completeNs !== null && (known.status ?? 300) < 300;
    if (known === undefined || (isBetter && !isKnownGood)) byAddress.set(address, i);
  }
  const used = new Set<number>();
  return objects.map(({address}) => {
    const i = byAddress.get((address ?? '').split('#')[0] ?? '');
    if (i === undefined || used.has(i)) return undefined;
    used.add(i);
    return i;
  });
}

/**
 * Returns the size of an object's content. An object that failed, or whose content the page does not have, keeps the
 * size that it has in the trace.
 */
function sizeOf({bytes, failure}: ObjectTrace, body: Uint8Array | null): number {
  return body === null || failure !== null ? bytes : body.length;
}

function stretched(
  deliveries: DeliveryColumns,
  objects: readonly ObjectTrace[],
  order: readonly (number | undefined)[],
  data: TraceData,
): DeliveryColumns {
  const scale = (object: number, bytes: number): number => {
    const sent = data.objects[order[object] ?? -1]?.bytes ?? 0;
    const size = objects[object]?.bytes ?? 0;
    return sent === 0 ? 0 : Math.round((bytes / sent) * size);
  };
  const rows = Array.from(deliveries.object, (object, row) => ({
    object,
    atNs: deliveries.atNs[row] ?? 0,
    bytes: scale(object, deliveries.bytes[row] ?? 0),
    first: scale(object, deliveries.first[row] ?? 0),
  }));
  // the content of an object from the browser's cache is delivered in one step, because none of its bytes were sent
  for (const [object, {bytes, completeNs}] of objects.entries()) {
    const sent = data.objects[order[object] ?? -1]?.bytes ?? 0;
    if (sent === 0 && bytes > 0 && completeNs !== null) rows.push({object, atNs: completeNs, bytes, first: 0});
  }
  rows.sort((a, b) => a.atNs - b.atNs);
  return {
    object: Uint32Array.from(rows, ({object}) => object),
    atNs: Float64Array.from(rows, ({atNs}) => atNs),
    bytes: Float64Array.from(rows, ({bytes}) => bytes),
    first: Float64Array.from(rows, ({first}) => first),
  };
}
