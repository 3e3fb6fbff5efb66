import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import type {PacketEdit} from '../../../app/run/cause/dropPacket.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {SessionProvider} from '../../session/context.tsx';
import type {ShownRun} from '../../session/loads.ts';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {WhatIf} from './WhatIf.tsx';

const PACKET = {pane: 0, packet: 4};
const DATA = 'data packet 3 from the server';
const DROP = {ok: true, isDrop: true, sides: 'every', packet: DATA, note: '', key: '', value: 0} as const;
const OWN = {...DROP, sides: 'this'} as const;
const NOT = {ok: false, message: 'the queue was full'} as const;

/** The texts of the offer. `panes` is the number of panes. */
function shown(edit: PacketEdit, own: PacketEdit, panes = 2): string {
  const parsed = parseScenario({panes: Array(panes).fill({pipeline: 'tcp'})});
  if (!parsed.ok) throw new Error('this is a valid scenario');
  const {scenario} = parsed;
  const session = new Session({on: () => () => undefined} as Pick<Host, 'on'> as Host, new Player(), scenario);
  // on the server, components read the initial state
  Object.assign(session.store.getInitialState(), {run: {scenario} as ShownRun});
  session.whatIf.editOf = () => edit;
  session.whatIf.ownEditOf = () => own;
  const html = renderToStaticMarkup(
    <SessionProvider session={session}>
      <WhatIf packet={PACKET} />
    </SessionProvider>,
  );
  return html.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|');
}

test('a packet can be dropped on every side or on its side only, and the offer has its number and side effects', () => {
  expect(shown(DROP, OWN)).toBe(`|Drop this packet on every side|${DATA}|Drop this packet on this side only|`);
  const counted = {...DROP, packet: 'packet 5 from the server', note: 'More changes.'};
  expect(shown(counted, OWN)).toBe(
    `|Drop this packet on every side|packet 5 from the server|More changes.|Drop this packet on this side only|${DATA}|`,
  );
  expect(shown(NOT, OWN)).toBe(
    `|The fate of this packet cannot be changed on all sides at once: the queue was full.|Drop this packet on this side only|${DATA}|`,
  );
});

test('a lost packet can be delivered where it was lost', () => {
  expect(shown({...DROP, isDrop: false}, NOT)).toBe(`|Deliver this packet on every side|${DATA}|`);
  const own = {...OWN, isDrop: false};
  expect(shown(own, own)).toBe(`|Deliver this packet on this side only|${DATA}|`);
});

test('with a single pane there is one offer', () => {
  expect(shown(DROP, OWN, 1)).toBe(`|Drop this packet on every side|${DATA}|`);
});

test('if the fate of a packet cannot be changed, the reason is told', () => {
  expect(shown(NOT, NOT)).toBe('|The fate of this packet cannot be changed: the queue was full.|');
});
