import {BROWSERS} from '../../app/browsers/list.ts';
import {pipelines} from '../../app/pipelines/index.ts';
import type {Pipeline} from '../../app/pipelines/pipeline.ts';
import {CONVERSION, type Setting} from '../../app/pipelines/setting.ts';
import {PLAIN_BROWSER} from '../../app/pipelines/settingTexts.ts';
import {LAST_PACKET, MOST_DROPPED} from '../../app/run/scenario/paneDrops.ts';
import {MOST_PANES} from '../../app/run/scenario/scenario.ts';
import {SERVERS} from '../../app/servers/list.ts';
import {layOut, row} from './helpText.ts';

/**
 * Returns what `interleave help scenario` prints: the keys of a scenario, with their values and meanings. Parts of the
 * path that most paths do not have, such as `path.jitter`, are only in docs/scenario.md.
 */
export function scenarioHelp(): string {
  const sections: readonly (readonly [heading: string, rows: readonly Row[]])[] = [
    ['The page', PAGE],
    ['The path', PATH],
    ['A live path', LIVE],
    ['The panes', PANES],
    ...pipelines().map(each => [`Settings of a pane with "pipeline": "${each.name}"`, pipelineRows(each)] as const),
    ['Settings of every pane', [['conversion', settingHelp(CONVERSION)], BROWSER, WEB_SERVER, DROP]],
    ['The load', LOAD],
  ];
  const shown = sections.map(([heading, rows]) => {
    return `${heading}:\n${rows.map(([key, text]) => row(key, text, COLUMN)).join('')}`;
  });
  return [layOut(LEAD), ...shown].join('\n');
}

type Row = readonly [key: string, text: string];

const COLUMN = 24;

const LEAD = `
interleave help scenario: The settings of a scenario.

A scenario is one JSON document. Every key has a default, and an unknown key is an error. The first value after a key is
its default; the other possible values follow it. docs/scenario.md has all keys, also those of the path that are not
listed here, such as path.queue, path.jitter and path.traffic.

  interleave run --scenario mine.json
  interleave run --set path.loss.down=0.03 --set panes[1].streams=4
`;

const PAGE: readonly Row[] = [
  [
    'page',
    'gallery: the name of a page (interleave pages), a path to a folder with an index.html, or anything else that ' +
      '--page accepts. A page that does not come with Interleave is opened once and stored; the scenario then has ' +
      'page.bundle.',
  ],
  ['page.bundle', 'The hash of a stored page.'],
  ['page.name', 'The name under which that page is shown.'],
  [
    'page.synthetic',
    '{"indexBytes": 3000, "objects": 10, "objectBytes": 10000, "headerBytes": 250, "requestBytes": 200}: a synthetic ' +
      'page of these sizes instead of a named one.',
  ],
];

const PATH: readonly Row[] = [
  ['path.rateBps', '1000000: the rate of the link in bits per second. Whole IP packets count.'],
  ['path.rttMs', '350: the round-trip time in ms.'],
  [
    'path.loss',
    '0: the share of packets that are lost, 0 to 1. {"rate": 0.03} means the same as 0.03. {"p", "r", "h", "k"} ' +
      'loses packets in bursts (the Gilbert-Elliott model). {"packets": [3, 17]} loses the packets with these ' +
      'numbers.',
  ],
  [
    'path.loss.applies',
    'all, or data: which packets can be lost. all: packet k of a direction has the same fate in every pane, whatever ' +
      'it carries. data: only packets with data can be lost, and the k-th of them has the same fate in every pane.',
  ],
  [
    'path.loss.at',
    'entry, or exit: where packets are lost. entry: before the queue, as in dummynet, so a lost packet uses none of ' +
      'the rate. exit: behind the link, so a lost packet has waited in the queue and used the rate.',
  ],
  ['path.queuePackets', '1000: how many packets the queue holds.'],
  ['path.mtuBytes', '1500: the size of the largest IP packet.'],
  [
    'path.KEY.down',
    'rateBps, rttMs, loss and queuePackets can be {"down": …, "up": …}; down is from server to client. Each ' +
      'direction delays packets by half of its own rttMs, so the round-trip time is the mean of both values.',
  ],
];

const LIVE: readonly Row[] = [
  [
    'path.live',
    'The HOST:PORT of a server that interleave serve started. interleave run, trace and experiment then load ' +
      'from that server in real time. The settings of the emulated path, and those of servers in panes, are not used.',
  ],
  [
    'path.tcp',
    'kernel, or udp: which TCP a live pane uses. kernel: that of the operating system. udp: the TCP of computed ' +
      'loads, carried in UDP packets, with the profile of the pane.',
  ],
  [
    'path.fingerprint',
    'The SHA-256 of the server’s certificate, which interleave serve prints. Live panes over HTTP/3 need it.',
  ],
];

const PANES: readonly Row[] = [
  [
    'panes',
    `A list of 1 to ${MOST_PANES} panes, each with a pipeline and its settings. If --set changes the pipeline of a ` +
      'pane, the pane keeps those settings that the new pipeline also has.',
  ],
];

const REAL_BROWSERS = BROWSERS.map(({name}) => name).filter(name => name !== 'plain');

const BROWSER: Row = ['browser', 'The browser of this pane, if it differs from the browser of the scenario.'];

const REAL_SERVERS = SERVERS.map(({name}) => name).filter(name => name !== 'plain');

const WEB_SERVER: Row = [
  'webServer',
  'The web server of this pane, if it differs from the web server of the scenario.',
];

const DROP: Row = [
  'drop',
  `null: the packets that this pane alone loses, besides those that path.loss loses. {"packets": [30], "applies": ` +
    `"data"} loses data packet 30 in both directions, and {"down": …, "up": …} has a list for each. A list has 1 to ` +
    `${MOST_DROPPED} packets from 0 to ${LAST_PACKET}. By default ("applies": "all"), all packets of a direction are ` +
    'counted. With drop, the panes do not have the same losses. Live loads refuse drop.',
];

const LOAD: readonly Row[] = [
  ['seed', '1: decides every random choice, above all which packets are lost.'],
  [
    'typicalOf',
    'null: how many seeds were compared to choose this seed (interleave typical). It does not affect the load, and ' +
      'is removed as soon as another setting changes.',
  ],
  [
    'discovery',
    'streaming, or complete: when objects are requested. streaming: as soon as the part of the HTML that names them ' +
      'has arrived. complete: when all of the HTML has arrived.',
  ],
  ['serverThinkMs', '0: the think time, which the server needs before it sends each response.'],
  [
    'browser',
    `plain, or ${REAL_BROWSERS.join(', ')}: the browser, which decides when each object is found, when it ` +
      'is requested, and with which priority. plain: every object is requested as soon as discovery allows, in the ' +
      'order of the page, and scripts hold up nothing, as in the papers. chromium and firefox were measured; safari ' +
      'follows published descriptions. These three require discovery streaming.',
  ],
  [
    'cpu',
    'recorded, or none, 0.1 to 100: how long scripts, style and layout take on a page that a browser has recorded ' +
      '(fetch --with-browser). recorded: as long as in the recording. none: no time. A number multiplies the times of ' +
      'the recording. With the browser plain, this key has no effect.',
  ],
  [
    'dnsMs',
    '0: the time that the client needs to look up a host name. Each host is looked up once, before the first connection ' +
      'to it.',
  ],
  [
    'certificate',
    'host, or site, page: which hosts share one server with one certificate, if the page has several origins and ' +
      'the browser is not plain. Over HTTP/2 and HTTP/3 these hosts share a connection. site: hosts with the same ' +
      'last two labels. page: all hosts of the page.',
  ],
  [
    'server',
    `plain, or ${REAL_SERVERS.join(', ')}: the web ` +
      'server, which decides in which order and in which pieces responses are sent over HTTP/2 and HTTP/3. It also ' +
      'decides the key exchange, TLS records, tickets and datagrams of QUIC. plain: the scheduler of the pane decides ' +
      'the order. The others are models of real servers, as Debian 12 has them, and ignore the scheduler of the pane. ' +
      'nginx, h2o and apache have no HTTP/3 there.',
  ],
  [
    'visit',
    'first, or again: whether the browser resumes its TLS session and sends its first requests with its first messages ' +
      '(early data, 0-RTT). It applies to every pane with TLS that has no visit of its own. It replaces zeroRtt of h3, ' +
      'which is still read.',
  ],
  [
    'serverThinking',
    'concurrent, or in-turn: whether the server thinks about all requests of a connection at the same time, or about ' +
      'one after the other. It is the same in every pipeline.',
  ],
  ['timeLimitMs', '3600000: a load that takes longer is stopped, and counts as incomplete.'],
  [
    'changes',
    '[]: changes of the path during the load, such as [{"atMs": 3200, "path": {"loss": {"down": 0.1}}}]. A change ' +
      'of loss may name only some of p, r, h, k, applies and at, as in {"loss": {"r": 0.5}}; the others keep their ' +
      'values.',
  ],
];

function pipelineRows({about, stack, settings, leastMtuBytes, hasPriorities}: Pipeline): readonly Row[] {
  const rows = Object.entries(settings).map(([key, setting]): Row => [key, settingHelp(setting)]);
  const requests: Row = ['(requests)', `${PLAIN_BROWSER}; the scheduler decides in which order responses are sent.`];
  const least: readonly Row[] =
    leastMtuBytes === undefined ? [] : [['(path)', `path.mtuBytes must be at least ${leastMtuBytes}.`]];
  return [['(what it is)', `${about} (${stack}).`], ...(hasPriorities ? [requests] : []), ...least, ...rows];
}

/** Returns the values of a setting, the default first, and what they mean. */
function settingHelp(setting: Setting): string {
  const {help: text} = setting;
  switch (setting.kind) {
    case 'choice': {
      const others = setting.choices.map(([word]) => word).filter(word => word !== setting.default);
      return `${setting.default}, or ${others.join(', ')}: ${text}`;
    }
    case 'number':
      return `${setting.default}, or ${setting.least} to ${setting.most}: ${text}`;
    case 'switch':
    case 'send-buffer':
      return `${setting.default}: ${text}`;
  }
}
