import {describe, expect, test} from 'vitest';
import {Emulator, type LinkParams, type LossModel, Simulation} from './index.js';

/** A link with 1 Mbps and a delay of 50 ms. The serialisation of a packet of 1500 B takes 12 ms. */
function link(loss: LossModel = {model: 'none'}): LinkParams {
  return {rateBps: 1e6, delayNs: 50e6, loss, queuePackets: 1000};
}

function emulator(loss?: LossModel): Emulator {
  return new Emulator({seed: 7, path: {down: link(loss), up: link(loss), mtuBytes: 1500}});
}

describe('the emulator', () => {
  test('returns the numbers of packets once they have arrived', () => {
    const path = emulator();
    for (const number of [10, 11]) expect(path.handlePacket('down', 1500, true, number, 0, 0, 0)).toBe(true);
    expect(path.handlePacket('up', 1500, false, 12, 1e6, 0, 0)).toBe(true);
    expect(path.nextTimeoutNs).toBe(62e6);
    expect([...path.pollTransmit(62e6 - 1)]).toEqual([]);
    expect([...path.pollTransmit(80e6)]).toEqual([10, 62e6, 0, 12, 63e6, 0, 11, 74e6, 0]);
    expect(path.nextTimeoutNs).toBe(Number.POSITIVE_INFINITY);
    const none = {lost: 0, queueFull: 0, early: 0, policed: 0, copied: 0, marked: 0, tooLarge: 0, handedOver: 0};
    expect(path.counts()).toEqual({down: {passed: 2, ...none}, up: {passed: 1, ...none}});
  });

  test('loses the same packets as a simulation with the same seed', () => {
    for (const rate of [0, 0.03, 0.1]) {
      const loss: LossModel = {model: 'bernoulli', rate};
      const path = {down: link(loss), up: link(loss), mtuBytes: 1500};
      const simulation = new Simulation({seed: 7, path, record: {packets: true}});
      const {client, server} = simulation.openUdp();
      const alone = emulator(loss);
      const fates: boolean[] = [];
      for (let number = 0; number < 200; number++) {
        simulation.send(number % 2 ? client : server, 0, new Uint8Array(100));
        simulation.advance(number * 1e9);
        fates.push(alone.handlePacket(number % 2 ? 'up' : 'down', 128, true, number, number * 1e9, 0, 0));
      }
      expect(fates).toEqual(Array.from(simulation.packets().fate, fate => fate !== 2));
      expect(fates.includes(false)).toBe(rate > 0);
      alone.restartLoss(7);
      expect(alone.handlePacket('down', 128, true, 0, 1e12, 0, 0)).toBe(fates[0]);
    }
  });

  test('returns a packet lost at the exit after its serialisation, with Infinity as arrival', () => {
    const path = emulator({model: 'list', packets: [0], at: 'exit'});
    for (const number of [10, 11]) expect(path.handlePacket('down', 1500, true, number, 0, 0, 0)).toBe(true);
    expect([...path.pollTransmit(12e6 - 1)]).toEqual([]);
    expect([...path.pollTransmit(12e6)]).toEqual([10, Number.POSITIVE_INFINITY, 0]);
    expect(path.counts().down).toMatchObject({passed: 0, lost: 1, queueFull: 0, tooLarge: 0});
    expect([...path.pollTransmit(80e6)]).toEqual([11, 74e6, 0]);
    const wrong = {model: 'none', at: 'middle'} as unknown as LossModel;
    expect(() => emulator(wrong)).toThrow('unknown variant `middle`, expected `entry` or `exit`');
  });

  test('marks and copies packets, and says which delivery of a packet is the last one', () => {
    const queue = {kind: 'codel', targetNs: 1e6, intervalNs: 1e6} as const;
    const down: LinkParams = {...link(), queue, duplicate: {rate: 1}, jitter: {spreadNs: 1e6, distribution: 'uniform'}};
    const path = new Emulator({seed: 7, path: {down, up: link(), mtuBytes: 1500}});
    for (let number = 0; number < 6; number++) path.handlePacket('down', 1500, true, number, 0, 0, 2);
    const rows = [...path.pollTransmit(1e9)];
    const of = (number: number) => rows.flatMap((each, at) => (at % 3 === 0 && each === number ? [rows[at + 2]] : []));
    // each packet is delivered twice, and the flag 2 is set the first time; marks have the flag 1
    for (let number = 0; number < 6; number++) {
      const [first = 0, last = 0] = of(number);
      expect(first).toBe(last + 2);
    }
    const {passed, copied, marked} = path.counts().down;
    expect({passed, copied}).toEqual({passed: 6, copied: 6});
    expect(marked).toBeGreaterThan(0);
    expect([0, 1, 2, 3, 4, 5].filter(number => of(number)[1] === 1).length).toBe(marked);
  });

  test('can be changed while packets are on the path', () => {
    const path = emulator();
    path.handlePacket('down', 1500, true, 0, 0, 0, 0);
    path.setLink('down', {...link({model: 'bernoulli', rate: 1}), delayNs: 10e6}, 5e6);
    expect(path.handlePacket('down', 1500, true, 1, 5e6, 0, 0)).toBe(false);
    expect([...path.pollTransmit(1e9)]).toEqual([0, 22e6, 0]);
    expect(path.counts().down).toMatchObject({passed: 1, lost: 1});
  });

  test('refuses invalid packets, paths and times, and names the wrong argument', () => {
    const path = emulator();
    const wrong = (value: unknown) => value as never;
    expect(() => path.handlePacket(wrong('left'), 100, true, 0, 0, 0, 0)).toThrow("must be 'down' or 'up'");
    expect(() => path.handlePacket('up', 65_584, true, 0, 0, 0, 0)).toThrow('invalid bytes: 65584');
    expect(() => path.handlePacket('up', 100, wrong(1), 0, 0, 0, 0)).toThrow('invalid hasData');
    expect(() => path.handlePacket('up', 100, true, -1, 0, 0, 0)).toThrow('invalid number: -1');
    expect(() => path.handlePacket('up', 100, true, 0, 0, -1, 0)).toThrow('invalid flow: -1');
    expect(() => path.handlePacket('up', 100, true, 0, 0, 0, 4)).toThrow('invalid ecn: 4');
    expect(() => path.pollTransmit(-1)).toThrow('invalid nowNs: -1');
    expect(() => path.setLink('up', {...link(), rateBps: 0}, 0)).toThrow('invalid params.rateBps: 0');
    expect(() => path.restartLoss(0.5)).toThrow('invalid seed: 0.5');
    expect(() => new Emulator(wrong({seed: 1}))).toThrow('missing field `path`');
    expect(() => (Emulator as unknown as (options: string) => void)('{}')).toThrow();
    expect([...path.pollTransmit(1e12)]).toEqual([]);
  });
});
