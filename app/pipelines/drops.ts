/**
 * The packets that one pane alone drops, besides those that the path loses. This is a type instead of an interface,
 * because TypeScript accepts only a type as part of a JSON document, which has an index signature.
 */
export type PaneDrops = {
  readonly down?: DropList;
  readonly up?: DropList;
};

/**
 * Numbers of packets of one direction, in ascending order. Packets are counted from 0 at the place of the path where
 * losses happen (`Loss.at`). `applies` is absent if all packets of the direction count, and `data` if only packets with
 * data do.
 */
export type DropList = {
  readonly packets: readonly number[];
  readonly applies?: 'data';
};

/**
 * Says which packets a pane drops, in a text that follows the pane's name: `also loses data packet 30`. Packets are the
 * server's unless the text says otherwise. The text has no commas, so that a list of settings can contain it.
 */
export function dropsText({down, up}: PaneDrops): string {
  if (up === undefined) return `also loses ${down === undefined ? 'nothing' : listText(down)}`;
  const own = `${listText(up)} from the browser`;
  return `also loses ${down === undefined ? own : `${listText(down)} from the server and ${own}`}`;
}

/**
 * Names one or two packets by their numbers. For more packets, it only says how many they are, because labels have
 * little room.
 */
function listText({packets, applies}: DropList): string {
  const noun = applies === 'data' ? 'data packet' : 'packet';
  if (packets.length === 1) return `${noun} ${packets[0]}`;
  if (packets.length === 2) return `${noun}s ${packets.join(' and ')}`;
  return `${packets.length} ${noun}s`;
}
