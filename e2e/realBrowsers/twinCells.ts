import type {CaptureCell, InjectedCause} from './captures.ts';
import type {FaultyPath} from './path.ts';
import type {Protocol} from './servers.ts';

/**
 * The captures by which twins are measured. A twin is the computed load that is fitted to a captured load. 20 captures
 * have no injected cause. For each of four causes, there are 10 captures.
 */
export function twinCells(): readonly CaptureCell[] {
  return [
    ...PLAIN.map(([page, protocol, mbps, rttMs, loss]) =>
      cell(page, protocol, {rateBps: mbps * 1e6, rttMs, loss}, NO_CAUSE),
    ),
    ...SLOW.map(([page, protocol, mbps, rttMs, thinkMs]) =>
      cell(page, protocol, {rateBps: mbps * 1e6, rttMs, loss: 0}, {kind: 'slow-server', thinkMs}),
    ),
    ...SMALL.map(([page, protocol, mbps, rttMs, kilobytes]) =>
      cell(page, protocol, {rateBps: mbps * 1e6, rttMs, loss: 0}, {kind: 'small-window', bytes: 1000 * kilobytes}),
    ),
    ...LOSSY.map(([page, protocol, mbps, rttMs, percent]) =>
      cell(page, protocol, {rateBps: mbps * 1e6, rttMs, loss: {down: 0, up: percent / 100}}, {kind: 'lossy-up'}),
    ),
    ...POLICED.map(([page, protocol, mbps, rttMs, policedMbps, burstKilobytes]) => {
      const policer = {down: {rateBps: policedMbps * 1e6, burstBytes: 1000 * burstKilobytes}};
      return cell(page, protocol, {rateBps: mbps * 1e6, rttMs, loss: 0, policer}, {kind: 'policer'});
    }),
  ];
}

function cell(page: string, protocol: Protocol, path: FaultyPath, cause: InjectedCause): CaptureCell {
  const server = protocol === 'h3' ? 'caddy' : 'nginx';
  const {rateBps, rttMs, loss} = path;
  const percent = typeof loss === 'number' ? loss * 100 : loss.up * 100;
  const amount = {
    none: () => '',
    'slow-server': () => `-${'thinkMs' in cause ? cause.thinkMs : 0}ms`,
    'small-window': () => `-${'bytes' in cause ? cause.bytes / 1000 : 0}kB`,
    'lossy-up': () => '',
    policer: () => `-${(path.policer?.down?.rateBps ?? 0) / 1e6}M`,
  }[cause.kind]();
  const name = `${cause.kind.replace('-', '_')}${amount}-${page.replace('-', '_')}-${server}-${protocol}-${rateBps / 1e6}Mbps-${rttMs}rtt-${percent}loss`;
  return {name, page, server, protocol, path, cause};
}

const NO_CAUSE: InjectedCause = {kind: 'none'};

/** Page, protocol, Mbit/s, RTT in ms, loss from 0 to 1. */
const PLAIN = [
  ['gallery', 'h2', 2, 100, 0],
  ['gallery', 'h1', 2, 100, 0],
  ['gallery', 'h3', 2, 100, 0],
  ['gallery', 'h2', 1, 300, 0],
  ['gallery', 'h1', 1, 30, 0],
  ['gallery', 'h2', 10, 50, 0.02],
  ['gallery', 'h1', 10, 100, 0.02],
  ['gallery', 'h3', 5, 60, 0.02],
  ['gallery', 'h2', 2, 150, 0.05],
  ['gallery', 'h2', 10, 30, 0],
  ['today', 'h2', 10, 100, 0],
  ['today', 'h1', 10, 50, 0],
  ['today', 'h2', 20, 30, 0.01],
  ['today', 'h2', 5, 80, 0.02],
  ['today', 'h1', 5, 100, 0.01],
  ['manual-kicad', 'h2', 10, 60, 0],
  ['manual-kicad', 'h1', 4, 100, 0],
  ['manual-kicad', 'h2', 8, 40, 0.02],
  ['manual-kicad', 'h3', 8, 80, 0],
  ['manual-kicad', 'h3', 4, 50, 0.01],
] as const;

/** Page, protocol, Mbit/s, RTT in ms, think time in ms. */
const SLOW = [
  ['gallery', 'h2', 10, 50, 400],
  ['gallery', 'h1', 10, 50, 300],
  ['gallery', 'h3', 10, 80, 500],
  ['gallery', 'h2', 5, 30, 250],
  ['gallery', 'h2', 2, 100, 600],
  ['today', 'h2', 20, 50, 400],
  ['today', 'h1', 20, 40, 300],
  ['today', 'h2', 10, 100, 700],
  ['manual-kicad', 'h2', 10, 60, 500],
  ['manual-kicad', 'h1', 20, 50, 200],
] as const;

/** Page, protocol, Mbit/s, RTT in ms, window in kB. */
const SMALL = [
  ['gallery', 'h2', 10, 100, 8],
  ['gallery', 'h2', 20, 50, 8],
  ['gallery', 'h2', 10, 150, 12],
  ['gallery', 'h2', 5, 100, 6],
  ['today', 'h2', 10, 100, 16],
  ['today', 'h2', 20, 60, 16],
  ['today', 'h2', 10, 80, 12],
  ['manual-kicad', 'h2', 10, 100, 16],
  ['manual-kicad', 'h2', 20, 50, 12],
  ['manual-kicad', 'h2', 8, 150, 20],
] as const;

/** Page, protocol, Mbit/s, RTT in ms, loss of the way up in percent. */
const LOSSY = [
  ['gallery', 'h2', 10, 100, 20],
  ['gallery', 'h1', 10, 60, 15],
  ['gallery', 'h2', 5, 150, 25],
  ['gallery', 'h3', 10, 100, 20],
  ['gallery', 'h2', 20, 40, 25],
  ['today', 'h2', 20, 60, 15],
  ['today', 'h1', 20, 60, 10],
  ['manual-kicad', 'h2', 20, 80, 15],
  ['manual-kicad', 'h1', 20, 60, 10],
  ['manual-kicad', 'h3', 20, 80, 15],
] as const;

/** Page, protocol, Mbit/s, RTT in ms, Mbit/s that pass, and burst in kB. */
const POLICED = [
  ['gallery', 'h2', 20, 50, 0.5, 20],
  ['gallery', 'h2', 10, 100, 0.4, 30],
  ['gallery', 'h1', 20, 40, 0.5, 20],
  ['today', 'h2', 20, 50, 2, 60],
  ['today', 'h2', 50, 30, 3, 100],
  ['today', 'h1', 20, 60, 2, 80],
  ['manual-kicad', 'h2', 20, 60, 1.5, 50],
  ['manual-kicad', 'h2', 30, 30, 2, 60],
  ['manual-kicad', 'h3', 20, 50, 2, 60],
  ['manual-kicad', 'h1', 20, 80, 1, 50],
] as const;
