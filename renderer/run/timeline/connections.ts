import {hostOf} from '../../../app/page/origins.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import {PANE_COLOURS, PANE_DASHES} from '../../../app/study/figures/palette.ts';
import type {Theme} from '../../kit/objectColours.ts';
import {scaled} from './measures.ts';
import type {Plot, TimelineModel, TimelinePane} from './model.ts';
import {dashOf, paneColour} from './palette.ts';
import type {Sender} from './senders.ts';

// These functions let views distinguish the connections of a pane. In texts, connections are numbered from 1.

/** The largest number of connections that any of these panes has, at least 1. */
export function mostConnections(panes: readonly TimelinePane[]): number {
  return Math.max(1, ...panes.map(({trace}) => trace.data.connections.length));
}

/** Whether colours distinguish connections. They do only if a graph has a single pane with several connections. */
export function hasConnectionColours(panes: readonly TimelinePane[]): boolean {
  return panes.length === 1 && mostConnections(panes) > 1;
}

/** Maps the number of each endpoint to the index of its connection. */
export function connectionsByEndpoint({data: {connections}}: Trace): ReadonlyMap<number, number> {
  return new Map(
    connections.flatMap(({client, server}, connection) => [
      [client, connection],
      [server, connection],
    ]),
  );
}

/**
 * Returns the style of a sender's line. If colours distinguish connections ({@link hasConnectionColours}), each
 * connection has its own style. Otherwise each pane has its own style.
 */
export function senderLine(
  model: TimelineModel,
  {panes}: Plot,
  {pane, connection}: Sender,
): {readonly colour: string; readonly dash: readonly number[]} {
  if (!hasConnectionColours(panes)) return {colour: paneColour(model, panes.length, pane), dash: dashOf(model, pane)};
  const dash = connectionDash(connection).map(px => scaled(model, px));
  return {colour: connectionColour(model.theme, connection), dash};
}

/** Returns the legend of a graph in which colours distinguish connections, such as `1 ━`, `2 ━`. */
export function connectionLegend(theme: Theme, panes: readonly TimelinePane[]): readonly (readonly [string, string])[] {
  return Array.from({length: mostConnections(panes)}, (_, connection) => {
    const sample = connectionDash(connection).length === 0 ? '━' : '┅';
    return [`${connection + 1} ${sample}`, connectionColour(theme, connection)];
  });
}

/**
 * Returns the name of a connection, such as `connection 2`, or `connection 2 to img.shop.test` if the page has several
 * origins. Empty if the pane has only one connection, or if `connection` is null.
 */
export function connectionName({data: {connections}}: Trace, connection: number | null): string {
  if (connections.length < 2 || connection === null) return '';
  const {origin, isAnonymous} = connections[connection] ?? {};
  const to = origin === undefined ? '' : ` to ${hostOf(origin)}${isAnonymous ? ', without credentials' : ''}`;
  return `connection ${connection + 1}${to}`;
}

function connectionColour(theme: Theme, connection: number): string {
  const colours = PANE_COLOURS[theme];
  return colours[connection % colours.length] ?? '';
}

/** Dashes for connections that share a colour, because there are more connections than colours. */
function connectionDash(connection: number): readonly number[] {
  return PANE_DASHES[Math.floor(connection / PANE_COLOURS.light.length)] ?? [];
}
