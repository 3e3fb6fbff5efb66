import {pipelines} from '../../app/pipelines/index.ts';
import type {Pipeline} from '../../app/pipelines/pipeline.ts';
import {CONVERSION, type Setting} from '../../app/pipelines/setting.ts';
import {PLAIN_BROWSER} from '../../app/pipelines/settingTexts.ts';
import {MOST_PANES} from '../../app/run/scenario/scenario.ts';
import {layOut, row} from './helpText.ts';

/** `interleave help scenario`: every key of a scenario. */
export function scenarioHelp(): string {
  const sections: readonly (readonly [heading: string, rows: readonly Row[]])[] = [
    ['The page', PAGE],
    ['The path', PATH],
    ['A live path', LIVE],
    ['The panes', PANES],
    ...pipelines().map(each => [`Settings of a pane with "pipeline": "${each.name}"`, pipelineRows(each)] as const),
    ['Settings of every pane', [['conversion', settingHelp(CONVERSION)]]],
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
interleave help scenario: Every setting of a scenario.

A scenario is one JSON document. Every key has a default, and an unknown key is an error. The first value after a key is
its default; what else it may be follows.

  interleave run --scenario mine.json
  interleave run --set path.loss.down=0.03 --set panes[1].streams=4
`;

const PAGE: readonly Row[] = [
  [
    'page',
    'gallery: the name of a page (interleave pages), a path to a folder with an index.html, or anything that --page ' +
      'takes. A page from elsewhere is opened, kept, and loaded as page.bundle.',
  ],
  ['page.bundle', 'The hash of a page from elsewhere that was kept.'],
  ['page.name', 'What people call that page.'],
  [
    'page.synthetic',
    '{"indexBytes": 3000, "objects": 10, "objectBytes": 10000, "headerBytes": 250, "requestBytes": 200}: a made-up ' +
      'page in place of a named one.',
  ],
];

const PATH: readonly Row[] = [
  ['path.rateBps', '1000000: bits per second, counting whole IP packets.'],
  ['path.rttMs', '350: the round-trip time.'],
  [
    'path.loss',
    '0: the share of packets lost, 0 to 1, also {"rate": 0.03}; losses in bursts, {"p", "r", "h", "k"} ' +
      '(Gilbert-Elliott); or the numbers of the lost packets, {"packets": [3, 17]}.',
  ],
  [
    'path.loss.applies',
    'all, or data: which packets can be lost. all: packet k of a direction has the same fate in every pane, whatever ' +
      'it carries. data: only packets with data can be lost, and the k-th of them has the same fate in every pane.',
  ],
  [
    'path.loss.at',
    'entry, or exit: where packets are lost. entry: before the queue, as in dummynet, so a lost packet takes no rate. ' +
      'exit: behind the link, so a lost packet waits in the queue and takes rate.',
  ],
  ['path.queuePackets', '1000: the length of the queue.'],
  ['path.mtuBytes', '1500: the largest IP packet.'],
  [
    'path.KEY.down',
    'rateBps, rttMs, loss and queuePackets can be {"down": …, "up": …}; down is from server to client. Each direction ' +
      'then delays by half of its own rttMs, so the round-trip time is the mean of both.',
  ],
];

const LIVE: readonly Row[] = [
  [
    'path.live',
    'HOST:PORT of an interleave serve. interleave run and trace then load from there, in real time. The other settings ' +
      'of the path, and those of the panes’ servers, are what they are there.',
  ],
  [
    'path.tcp',
    'kernel, or udp: the TCP of a live pane. kernel is the system’s; udp is the TCP of computed loads, in UDP, with ' +
      'the profile of the pane.',
  ],
  [
    'path.fingerprint',
    'For a pane over HTTP/3: the SHA-256 of the server’s certificate, which interleave serve prints.',
  ],
];

const PANES: readonly Row[] = [
  [
    'panes',
    `A list of 1 to ${MOST_PANES} panes, each with a pipeline and its settings. A pane that gets another pipeline keeps ` +
      'the settings that both have.',
  ],
];

const LOAD: readonly Row[] = [
  ['seed', '1: decides every random choice, above all which packets are lost.'],
  [
    'typicalOf',
    'null: the number of seeds of which this one is the typical one (interleave typical). It changes nothing in the ' +
      'load, and is removed as soon as anything else is set.',
  ],
  [
    'discovery',
    'streaming, or complete: whether objects are requested as the HTML arrives, or when all of it has arrived.',
  ],
  [
    'serverThinkMs',
    '0: how long the server thinks before each answer. It thinks about one answer after the other; a server that ' +
      'writes several answers at once thinks about all of them at once.',
  ],
  ['timeLimitMs', '3600000: a load that takes longer ends incomplete, with this reason.'],
  [
    'changes',
    '[]: changes of the path during the load, such as [{"atMs": 3200, "path": {"loss": {"down": 0.1}}}]. Of a loss, ' +
      'p, r, h, k, applies and at can change alone, as in {"loss": {"r": 0.5}}.',
  ],
];

function pipelineRows({about, stack, settings, leastMtuBytes, hasPriorities}: Pipeline): readonly Row[] {
  const rows = Object.entries(settings).map(([key, setting]): Row => [key, settingHelp(setting)]);
  const requests: Row = ['(requests)', `${PLAIN_BROWSER}; the scheduler says what comes when.`];
  const least: readonly Row[] =
    leastMtuBytes === undefined ? [] : [['(path)', `path.mtuBytes must be at least ${leastMtuBytes}.`]];
  return [['(what it is)', `${about} (${stack}).`], ...(hasPriorities ? [requests] : []), ...least, ...rows];
}

/** Its values, the default first, and what they mean. */
function settingHelp(setting: Setting): string {
  const text = `${setting.help}.`;
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
