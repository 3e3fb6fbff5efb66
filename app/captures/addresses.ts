import {originOf} from '../page/url.ts';

/**
 * Returns the names of the objects in a captured trace. `urls` has the address of each object. The first one is that of
 * the page. The name of an object is its path if it has the origin of the page, otherwise its whole address. If an
 * address was requested again, the second name ends with `#2`, the third with `#3`. No other object has such a name,
 * because requested addresses have no fragments.
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
