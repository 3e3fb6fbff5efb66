import {expect, test} from 'vitest';
import {type Placed, Places} from './clientPlaces.ts';

class Client implements Placed {
  isGone = false;
  readonly name: string;
  readonly isIdle: boolean;

  constructor(name: string, isIdle = true) {
    this.name = name;
    this.isIdle = isIdle;
  }

  giveUp(): void {
    this.isGone = true;
  }
}

/** Creates places and adds these clients. */
function taken(most: number, ...clients: readonly [address: string, client: Client][]): Places<Client> {
  const places = new Places<Client>(most);
  for (const [address, client] of clients) {
    expect(places.makeRoom(address)).toBe(true);
    places.add(client, address);
  }
  return places;
}

test('when there is no room, the least recently used idle client of the address with the most clients is ended', () => {
  const [a1, a2, a3, b] = ['a1', 'a2', 'a3', 'b'].map(name => new Client(name)) as [Client, Client, Client, Client];
  const places = taken(4, ['10.0.0.2', b], ['10.0.0.1', a1], ['10.0.0.1', a2], ['10.0.0.1', a3]);
  expect([a1, a2, a3, b].some(({isGone}) => isGone)).toBe(false);
  places.touch(a1);
  expect(places.hasRoomFor('10.0.0.3')).toBe(true);
  expect(places.makeRoom('10.0.0.3')).toBe(true);
  expect([a1, a2, a3, b].filter(({isGone}) => isGone)).toEqual([a2]);
  expect(places.size).toBe(3);
});

test('a busy client is replaced only if its address has at least two more clients than the new one’s address', () => {
  const busy = [1, 2, 3].map(i => new Client(`a${i}`, false)) as [Client, Client, Client];
  const places = taken(3, ['10.0.0.1', busy[0]], ['10.0.0.1', busy[1]], ['10.0.0.1', busy[2]]);
  expect(places.makeRoom('10.0.0.1')).toBe(false);
  expect(places.makeRoom('10.0.0.2')).toBe(true);
  expect(busy.map(({isGone}) => isGone)).toEqual([true, false, false]);
  places.add(new Client('b', false), '10.0.0.2');
  // The first address has two clients and the second has one, which is only one less.
  expect(places.hasRoomFor('10.0.0.2')).toBe(false);
  expect(places.hasRoomFor('10.0.0.3')).toBe(true);
});

test('addresses in one IPv6 network count as one, and a deleted client frees its place', () => {
  const clients = [1, 2].map(i => new Client(`${i}`, false)) as [Client, Client];
  const places = taken(2, ['2001:db8::1', clients[0]], ['2001:db8::2', clients[1]]);
  expect(places.hasRoomFor('2001:db8::3')).toBe(false);
  places.delete(clients[0]);
  places.delete(clients[0]);
  expect(places.size).toBe(1);
  expect(places.hasRoomFor('2001:db8::3')).toBe(true);
});
