import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import type {PacketEdit} from '../../../app/run/cause/dropPacket.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';
import {SessionProvider} from '../../session/context.tsx';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {WhatIf} from './WhatIf.tsx';

const PACKET = {pane: 0, packet: 4};
const DROP = {ok: true, isDrop: true, packet: 'data packet 3 from the server', note: '', key: '', value: 0} as const;

function shown(edit: PacketEdit): string {
  const parsed = parseScenario({});
  if (!parsed.ok) throw new Error('the defaults are a valid scenario');
  const session = new Session({on: () => () => undefined} as Pick<Host, 'on'> as Host, new Player(), parsed.scenario);
  session.whatIf.editOf = () => edit;
  const html = renderToStaticMarkup(
    <SessionProvider session={session}>
      <WhatIf packet={PACKET} />
    </SessionProvider>,
  );
  return html.replaceAll(/<[^>]*>/g, '|').replaceAll(/\|+/g, '|');
}

test('a packet can be dropped or delivered, and its number and side effects are told', () => {
  expect(shown(DROP)).toBe('|Drop this packet on every side|data packet 3 from the server|');
  expect(shown({...DROP, isDrop: false, note: 'More changes.'})).toBe(
    '|Deliver this packet on every side|data packet 3 from the server. More changes.|',
  );
});

test('without an edit, the reason is told', () => {
  expect(shown({ok: false, message: 'the queue was full'})).toBe('|It cannot be dropped: the queue was full.|');
});
