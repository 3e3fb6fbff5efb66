import {deflateSync} from 'fflate';
import {expect, test} from 'vitest';
import {base64, crc32} from '../../base/bytes.ts';
import {scenarioDocument} from './document.ts';
import {isScenarioLink, linkText, packedFragment, siteLink, unpackedText} from './link.ts';
import {findPreset} from './presets.ts';
import {readText} from './readScenario.ts';
import {parseScenario} from './scenario.ts';

const SITE = 'https://site.test/interleave/';
const DAMAGED = {ok: false, message: 'the link is incomplete or damaged; copy all of it'};

function documentOf(preset: string) {
  const parsed = parseScenario(findPreset(preset)?.scenario);
  if (!parsed.ok) throw new Error(preset);
  return scenarioDocument(parsed.scenario);
}

/** A text of spaces. */
function spaces(length: number): Uint8Array {
  return new Uint8Array(length).fill(32);
}

/** A compressed document with a right checksum. */
function packed(bytes: Uint8Array): string {
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, crc32(bytes));
  return base64(new Uint8Array([...head, ...bytes]))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

test('a link of the web edition contains the whole scenario, and is short enough to paste', () => {
  for (const [preset, most] of [
    ['n07-movie', 520],
    ['one-lost-packet', 720],
  ] as const) {
    const document = documentOf(preset);
    const link = siteLink(document, SITE);
    expect(link).toMatch(/^https:\/\/site\.test\/interleave\/#scenario=[\w-]+$/);
    expect(link.length - SITE.length, preset).toBeLessThan(most);
    expect(isScenarioLink(` ${link}\n`)).toBe(true);
    expect(readText(` ${link}\n`)).toEqual({ok: true, value: JSON.parse(JSON.stringify(document))});
  }
});

test('other addresses are not links of scenarios', () => {
  expect(isScenarioLink('https://site.test/#story=abc')).toBe(false);
  expect(isScenarioLink('https://site.test/?scenario=abc')).toBe(false);
  expect(isScenarioLink('ftp://site.test/#scenario=abc')).toBe(false);
});

test('a link with any missing or changed character is refused', () => {
  const link = siteLink(documentOf('n07-movie'), SITE);
  const start = link.indexOf('=') + 1;
  for (let at = start; at < link.length; at++) {
    expect(linkText(link.slice(0, at)), `the first ${at}`).toEqual(DAMAGED);
    // some bits of the last character are not used
    if (at === link.length - 1) continue;
    const other = link[at] === 'A' ? 'B' : 'A';
    expect(linkText(link.slice(0, at) + other + link.slice(at + 1)), `changed at ${at}`).toEqual(DAMAGED);
  }
  expect(linkText(`${SITE}#scenario=%%`)).toEqual(DAMAGED);
});

test('compressed data that ends early or is not UTF-8 is refused, even with a right checksum', () => {
  const whole = deflateSync(new TextEncoder().encode('{"seed": 1}'));
  expect(unpackedText(packed(whole))).toEqual({ok: true, text: '{"seed": 1}'});
  expect(unpackedText(packed(whole.subarray(0, -2)))).toEqual(DAMAGED);
  expect(unpackedText(packed(deflateSync(new Uint8Array([0xff]))))).toEqual(DAMAGED);
});

test('a decompression bomb is refused after 4 MiB, and a link that is too long is not decompressed', () => {
  const bomb = packed(deflateSync(spaces(8_000_000), {level: 9}));
  expect(bomb.length).toBeLessThan(200_000);
  expect(linkText(`${SITE}#scenario=${bomb}`)).toEqual({
    ok: false,
    message: 'the link contains more than 4194304 bytes',
  });
  const atLimit = packed(deflateSync(spaces(4 * 1024 * 1024)));
  expect(unpackedText(atLimit).ok).toBe(true);
  expect(unpackedText('A'.repeat(200_001))).toEqual({
    ok: false,
    message: 'the link has 200001 characters (at most 200000)',
  });
});

test('a story is packed with its own key', () => {
  const fragment = packedFragment('story', {title: 'ä'});
  expect(fragment).toMatch(/^story=[\w-]+$/);
  expect(unpackedText(fragment.slice('story='.length))).toEqual({ok: true, text: '{"title":"ä"}'});
});
