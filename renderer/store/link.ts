import type {Json} from '../../app/scenario/document.ts';

/** A link that holds the scenario itself: opening or pasting it in the window gives the same run. */
export function scenarioLink(document: Json): string {
  const bytes = new TextEncoder().encode(JSON.stringify(document));
  return (
    PREFIX +
    btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
  );
}

export function isScenarioLink(text: string): boolean {
  return text.trim().startsWith(PREFIX);
}

/** The JSON text in a link; undefined if it is damaged. */
export function linkText(link: string): string | undefined {
  try {
    const base64 = link.trim().slice(PREFIX.length).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(base64), char => char.charCodeAt(0));
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    return undefined;
  }
}

const PREFIX = 'interleave://scenario/';
