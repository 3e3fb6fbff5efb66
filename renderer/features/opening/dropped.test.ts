import {expect, test} from 'vitest';
import {scenarioLink, siteLink} from '../../../app/run/scenario/link.ts';
import type {Session} from '../../session/session.ts';
import {openDropped} from './dropped.ts';

/** What a window does with a dropped link. */
async function opened(link: string): Promise<unknown[]> {
  const done: unknown[] = [];
  const session = {
    documents: {open: ({text}: {text: string}) => done.push(['document', text])},
    stateOf: () => ({openAddress: (address: string) => done.push(['page', address])}),
  } as unknown as Session;
  const dropped = {getData: (type: string) => (type === 'text/uri-list' ? link : ''), items: []};
  await openDropped(session, dropped as unknown as DataTransfer);
  return done;
}

test('a dropped link of a scenario opens the scenario and fetches no page', async () => {
  const own = scenarioLink({scenario: 1});
  expect(await opened(own)).toEqual([['document', own]]);
  const site = siteLink({scenario: 1}, 'https://example.org/interleave/');
  expect(await opened(site)).toEqual([['document', site]]);
});

test('a dropped address opens the page, and other text opens nothing', async () => {
  expect(await opened('# a comment\r\nhttps://example.org/a#b')).toEqual([['page', 'https://example.org/a#b']]);
  expect(await opened('example')).toEqual([]);
});
