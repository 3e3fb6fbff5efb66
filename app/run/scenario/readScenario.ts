import {type ReadJson, readJson} from '../../base/json.ts';
import {nearest} from '../../base/text.ts';
import {isScenarioLink, linkText} from './link.ts';
import {findPreset, PRESETS} from './presets.ts';

/** Reads the scenario that a text gives: a preset's name, a link, or a document's JSON. */
export function readText(text: string): ReadJson {
  const preset = findPreset(text.trim());
  if (preset !== undefined) return {ok: true, value: preset.scenario};
  if (!isScenarioLink(text)) return readJson(text);
  const link = linkText(text);
  return link.ok ? readJson(link.text) : link;
}

/** Reads the scenario document in a file. */
export function readBytes(bytes: Uint8Array): ReadJson {
  if (bytes.length === 0) return {ok: false, message: 'is empty'};
  if (bytes.length > LARGEST_DOCUMENT_BYTES) {
    return {ok: false, message: `has ${bytes.length} bytes (at most ${LARGEST_DOCUMENT_BYTES})`};
  }
  try {
    return readJson(new TextDecoder('utf-8', {fatal: true}).decode(bytes));
  } catch {
    return {ok: false, message: 'not JSON: not UTF-8'};
  }
}

/** Returns a hint for a preset name that does not exist. */
export function presetHint(name: string): string {
  const near = nearest(
    name,
    PRESETS.map(preset => preset.name),
  );
  return near === undefined ? 'the command ‘interleave presets’ lists them' : `did you mean ${near}?`;
}

/**
 * The largest scenario file, in bytes. Usual scenarios are far smaller: even a list of 100,000 lost packets, the
 * longest allowed, has about 0.7 MB.
 */
const LARGEST_DOCUMENT_BYTES = 4 * 1024 * 1024;

// Browsers and Node have TextDecoder (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextDecoder: new (label: 'utf-8', options: {fatal: true}) => {decode(bytes: Uint8Array): string};
