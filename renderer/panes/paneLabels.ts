import type {Pane, SctpPane, SendBuffer} from '../../app/scenario/pane.ts';

/** What each pane is called: `TCP classic`, `SCTP classic, 10 streams`, and what tells it from its like. */
export function paneLabels(panes: readonly Pane[]): readonly string[] {
  return panes.map(pane => {
    const streams = pane.pipeline === 'tcp' ? [] : [streamsText(pane.streams)];
    const name = `${pane.pipeline.toUpperCase()} ${pane.profile}`;
    return [name, ...streams, ...differencesOf(pane, panes)].join(', ');
  });
}

/** The settings of `pane` in which the panes of its pipeline differ, but for profile and streams; short. */
export function differencesOf(pane: Pane, panes: readonly Pane[]): readonly string[] {
  const others = panes.filter(other => other.pipeline === pane.pipeline).map(settingTexts);
  return settingTexts(pane).filter((text, i) => text !== '' && others.some(other => other[i] !== text));
}

/** `1 stream`, `10 streams`. */
export function streamsText(streams: number): string {
  return `${streams} stream${streams === 1 ? '' : 's'}`;
}

/** A text per setting, each in its place; empty for one without effect. */
function settingTexts(pane: Pane): readonly string[] {
  if (pane.pipeline === 'tcp') return [bufferText(pane.sendBuffer)];
  return [messagesText(pane), pane.scheduler, pane.server, bufferText(pane.sendBuffer)];
}

function messagesText({fragmentation, messageBytes}: SctpPane): string {
  if (!fragmentation) return 'whole messages';
  return messageBytes === null ? 'PMTU messages' : `${messageBytes} B messages`;
}

function bufferText(buffer: SendBuffer | null): string {
  if (buffer === null) return 'unlimited buffer';
  if ('bytes' in buffer) return `${buffer.bytes / 1000} KB buffer`;
  return `${buffer.objects}-object buffer`;
}
