import {originOf} from '../page/url.ts';

/**
 * Returns the names of objects in a captured trace, by their addresses: the path if the object has the origin of the
 * first one, which is that of the page, and otherwise the whole address. Fragments number further requests for an
 * address, because requests have no fragments.
 */
export function addressesOf(urls: readonly string[]): readonly string[] {
  const origin = originOf(urls[0] ?? '');
  const times = new Map<string, number>();
  return urls.map(url => {
    const [address = ''] = url.split('#');
    const isOwn = origin !== undefined && originOf(address) === origin;
    const name = isOwn ? pathOf(address) : address;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return time === 1 ? name : `${name}#${time}`;
  });
}

function pathOf(address: string): string {
  return /^\w+:\/\/[^/?]*(.*)$/.exec(address)?.[1]?.replace(/^(?!\/)/, '/') ?? address;
}
