import {base64} from '../../base/bytes.ts';
import type {Json} from '../../base/json.ts';

/**
 * Returns a link that contains the scenario. A user can open the link, or paste it in the window, to get the same run.
 */
export function scenarioLink(document: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  return PREFIX + base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export function isScenarioLink(text: string): boolean {
  return text.trim().startsWith(PREFIX);
}

/** Returns the JSON text in a link. Undefined if the link is damaged. */
export function linkText(link: string): string | undefined {
  try {
    const text = link.trim().slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(text), char => char.charCodeAt(0));
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    return undefined;
  }
}

const PREFIX = 'interleave://scenario/';

// Every host has these functions (HTML and WHATWG Encoding), but app/ is compiled without the types of any host.
declare const atob: (base64: string) => string;
declare const TextEncoder: new () => {encode(text: string): Uint8Array};
declare const TextDecoder: new (label: 'utf-8', options: {fatal: true}) => {decode(bytes: Uint8Array): string};
