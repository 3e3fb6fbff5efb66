import type {Json} from '../../base/json.ts';
import type {JsonSchema} from '../../base/schema.ts';
import {ONE_LOST_PACKET, THROUGH_A_GATEWAY, todaysWeb, withAllPipelines} from './comparisonPresets.ts';
import {LINK_PRESETS} from './linkPresets.ts';

/** A scenario with a name and a source. `docs/extending.md` says how to add one. */
export interface Preset {
  readonly name: string;
  readonly title: string;
  /** The heading under which the preset is listed. Presets of a group are adjacent. */
  readonly group: PresetGroup;
  /** The source of the preset's numbers. It also says which of them we chose. */
  readonly source: string;
  /**
   * The settings that the source varied, or that we suggest to vary. Each is a key as in `--set`, `=`, and a range
   * (`0 … 0.1`) or several values (`0|0.043`).
   */
  readonly varies: readonly string[];
  readonly scenario: {readonly [key: string]: Json};
}

type PresetGroup =
  | 'The papers'
  | 'Paths of today'
  | 'Today’s web'
  | 'Links that queue and change'
  | 'A paper’s path, all pipelines'
  | 'One picture'
  | 'A gateway on the way';

/**
 * Returns the JSON Schema of a value that is a preset's name or a scenario. A schema that contains it must define
 * `scenario` in its `$defs`.
 */
export function scenarioOrPreset(): JsonSchema {
  return {anyOf: [{enum: PRESETS.map(({name}) => name)}, {$ref: '#/$defs/scenario'}]};
}

/** The preset that a new window opens with. */
export const FIRST_DEMO = 'n07-movie';

export function findPreset(name: string): Preset | undefined {
  return PRESETS.find(preset => preset.name === name);
}

const SMALL_PANES = [
  {pipeline: 'tcp', profile: 'classic'},
  {pipeline: 'sctp', profile: 'classic', streams: 10},
] as const;

const MODERN_PANES = [
  {pipeline: 'tcp', profile: 'modern'},
  {pipeline: 'sctp', profile: 'modern', streams: 11},
] as const;

const N07_PAGE = {
  synthetic: {indexBytes: 3000, objects: 10, objectBytes: 10_000, headerBytes: 250, requestBytes: 200},
} as const;

const N07_VARIES = [
  'path.loss=0 … 0.1',
  'page.synthetic.objects=5|10|15',
  'page.synthetic.objectBytes=3000|5000|10000|15000',
] as const;

const N07_SOURCE =
  'Natarajan, Amer, Stewart: TR 2007-342 (N07) and Multistreamed Web Transport for Developing Regions, 2008 (N08). ' +
  'Header and request sizes are those of our reference data.';

const R02_SOURCE =
  'Rajamani, Kumar, Gupta: SCTP versus TCP, 2002. The paper has TCP Reno without SACK, and SCTP messages of 1024 B.';

const L06_SOURCE =
  'Lee, Atiquzzaman, Sivagurunathan: Mean Response Time Estimation for HTTP over SCTP in Wireless Environment, 2006. ' +
  'The MTU is 576, because the paper has an MSS of 536.';

const C03_SOURCE =
  'Chen, Mohapatra: CATP, 2003: 10 KB/s. The paper gives no RTT for its figures 11 to 14; 70 ms is that of figure 15.';

const STARLINK_SOURCE =
  'Michel, Trevisan, Giordano, Bonaventure: A First Look at Starlink Performance, IMC 2022, and their summary on ' +
  'blog.apnic.net, 28 Nov 2022: median RTT 50 ms, 100–200 Mbps down; uplink 17 Mbps and 0.4 % loss on an idle link.';

const GEO_SOURCE =
  'Huston: Testing LEO and GEO satellite services in Australia, blog.apnic.net, 2 May 2022: RTT about 600 ms. The ' +
  'rates are those of the 100/10 Mbps subscription of blog.apnic.net, 28 Nov 2022. No loss is given.';

const PAPERS = 'The papers';
const TODAY = 'Paths of today';

/**
 * The presets from papers and measurements: every parameter set of the papers, then paths of today. A new preset with a
 * path of its own goes here, next to the others of its group. A preset that is derived from one of these goes in
 * {@link PRESETS}. `presets.test.ts` requires a preset with all pipelines for each path of the group 'The papers'.
 * `npm run docs` adds a new preset to the table in `docs/scenario.md`.
 */
const TWO_SIDED: readonly Preset[] = [
  developing('n07-hsdpa', 'HSDPA, 120 ms', 120),
  developing('n08-south-asia', 'South Asia – North America, 350 ms', 350),
  developing('n07-vsat', 'Africa, one VSAT link, 850 ms', 850),
  developing('n07-2vsat', 'Africa, two VSAT links, 1100 ms', 1100),
  {
    name: FIRST_DEMO,
    title: 'The movies of Natarajan et al., 2007: 56 kbit/s, 1080 ms, 4.3 % loss',
    group: PAPERS,
    source: 'Natarajan, Amer, Stewart: TR 2007-342 (N07) §5.3, figures 14 and 15. A logo of 1 KB, ten images of 10 KB.',
    varies: ['path.loss=0|0.043'],
    scenario: {
      page: 'gallery',
      path: {rateBps: 56_000, rttMs: 1080, loss: 0.043},
      panes: [SMALL_PANES[0], {...SMALL_PANES[1], streams: 11}],
      discovery: 'complete',
      // The default demo has this seed, because it is neither lucky nor unlucky. The command that found it is:
      // interleave typical --scenario n07-movie
      seed: 173,
      typicalOf: 200,
    },
  },
  {
    name: 'r02',
    title: 'R02: 50 KB, then 7 × 4 KB; 10 Mbit/s, 80 ms',
    group: PAPERS,
    source: R02_SOURCE,
    varies: ['path.rateBps=40000|400000|3000000|10000000', 'path.loss=0 … 0.25'],
    scenario: {
      page: 'r02',
      path: {rateBps: 10_000_000, rttMs: 80, loss: 0.01},
      panes: [
        {pipeline: 'tcp', profile: 'reno'},
        {pipeline: 'sctp', profile: 'classic', streams: 8, messageBytes: 1024},
      ],
      discovery: 'complete',
    },
  },
  {
    name: 'l06',
    title: 'L06: a page and 5 objects of 13.5 KB; 40 kbit/s, 256 ms',
    group: PAPERS,
    source: L06_SOURCE,
    varies: [
      'path.rateBps=40000|400000|3000000|10000000',
      'path.rttMs=55|80|256|1000',
      'path.loss=0.004|0.01|0.02|0.05',
    ],
    scenario: {
      page: 'l06',
      path: {rateBps: 40_000, rttMs: 256, loss: 0.01, mtuBytes: 576},
      panes: [
        {pipeline: 'tcp', profile: 'reno'},
        {...SMALL_PANES[1], streams: 5},
      ],
      discovery: 'complete',
    },
  },
  textPage('c03-10k', 'C03: HTML of 10 KB, tag distance 5 frames', 'text-10k'),
  textPage('c03-50k', 'C03: HTML of 50 KB, tag distance 20 frames', 'text-50k'),
  {
    name: 'lte-slow',
    title: 'Slow 4G: 1.6 Mbit/s down, 750 kbit/s up, 150 ms',
    group: TODAY,
    source:
      'Lighthouse, docs/throttling.md: the slowest quarter of 4G connections. There is no loss, because the radio ' +
      'link repairs it.',
    varies: [],
    scenario: {
      page: 'gallery-15k',
      path: {rateBps: {down: 1_600_000, up: 750_000}, rttMs: 150},
      panes: MODERN_PANES,
    },
  },
  {
    name: 'lte',
    title: 'LTE: 100 Mbit/s down, 50 Mbit/s up, 45 ms, 0.2 %',
    group: TODAY,
    source: 'Loadero wiki, Network conditions, profile 4G.',
    varies: [],
    scenario: {
      page: 'gallery-15k',
      path: {rateBps: {down: 100_000_000, up: 50_000_000}, rttMs: 45, loss: 0.002},
      panes: MODERN_PANES,
    },
  },
  {
    name: 'leo',
    title: 'LEO satellite: 150 Mbit/s down, 17 Mbit/s up, 50 ms, 0.4 %',
    group: TODAY,
    source: STARLINK_SOURCE,
    varies: [],
    scenario: {
      page: 'gallery-15k',
      path: {rateBps: {down: 150_000_000, up: 17_000_000}, rttMs: 50, loss: 0.004},
      panes: MODERN_PANES,
    },
  },
  {
    name: 'geo',
    title: 'GEO satellite: 100 Mbit/s down, 10 Mbit/s up, 600 ms',
    group: TODAY,
    source: GEO_SOURCE,
    varies: ['path.loss=0 … 0.01'],
    scenario: {
      page: 'gallery-15k',
      path: {rateBps: {down: 100_000_000, up: 10_000_000}, rttMs: 600},
      panes: MODERN_PANES,
    },
  },
  {
    name: 'wifi-bad',
    title: 'Bad Wi-Fi: 5 Mbit/s, 60 ms, 5 % lost in bursts of 4',
    group: TODAY,
    source:
      'Loss of 5 %: Perfecto, Network virtualization, ‘very unstable network’. The bursts (Gilbert–Elliott, Hasslinger ' +
      '& Hohlfeld 2008), the rate and the RTT are our choice, for teaching.',
    varies: [],
    scenario: {
      page: 'gallery-15k',
      // The bad state holds p / (p + r) = 5 % of the packets and lasts 1 / r = 4 packets.
      path: {rateBps: 5_000_000, rttMs: 60, loss: {p: 0.013158, r: 0.25, h: 0, k: 1}},
      panes: MODERN_PANES,
    },
  },
];

/** All presets. Lists show the groups in the order of their first presets. */
export const PRESETS: readonly Preset[] = [
  ...TWO_SIDED,
  todaysWeb(twoSided('lte'), {
    name: 'web-lte',
    title: 'Today’s web on LTE: 100 Mbit/s down, 50 Mbit/s up, 45 ms, 0.2 %',
  }),
  todaysWeb(twoSided('wifi-bad'), {
    name: 'web-wifi-bad',
    title: 'Today’s web on bad Wi-Fi: 5 Mbit/s, 60 ms, 5 % lost in bursts of 4',
  }),
  ...LINK_PRESETS,
  ONE_LOST_PACKET,
  THROUGH_A_GATEWAY,
  ...(
    [
      ['n07-hsdpa', 'hsdpa-all', 'HSDPA, 120 ms'],
      ['n08-south-asia', 'south-asia-all', 'South Asia – North America, 350 ms'],
      ['n07-vsat', 'vsat-all', 'Africa, one VSAT link, 850 ms'],
      ['n07-2vsat', '2vsat-all', 'Africa, two VSAT links, 1100 ms'],
    ] as const
  ).map(([paper, name, path]) =>
    withAllPipelines(twoSided(paper), {name, page: 'gallery', title: `${path}, all pipelines: 1 Mbit/s, 3 % loss`}),
  ),
  withAllPipelines(twoSided('n07-movie'), {
    name: '56k-all',
    title: '56 kbit/s, 1080 ms, all pipelines: 4.3 % loss',
  }),
  withAllPipelines(twoSided('r02'), {
    name: 'r02-all',
    title: '10 Mbit/s, 80 ms, all pipelines: R02’s page, 1 % loss',
  }),
  withAllPipelines(twoSided('l06'), {
    name: 'l06-all',
    title: '40 kbit/s, 256 ms, all pipelines that the MTU permits: L06’s page, 1 % loss, MTU 576',
  }),
  withAllPipelines(twoSided('c03-10k'), {
    name: 'c03-all',
    title: '10 KB/s, 70 ms, all pipelines: C03’s HTML of 10 KB, 2 % loss',
  }),
];

/** Finds one of {@link TWO_SIDED} by its name. @throws RangeError if there is no such preset, which is a bug */
function twoSided(name: string): Preset {
  const found = TWO_SIDED.find(preset => preset.name === name);
  if (found === undefined) throw new RangeError(`no preset is called ${name}`);
  return found;
}

function developing(name: string, title: string, rttMs: number): Preset {
  return {
    name,
    title: `${title}: 1 Mbit/s, 3 % loss, 10 objects of 10 KB`,
    group: PAPERS,
    source: N07_SOURCE,
    varies: N07_VARIES,
    scenario: {
      page: N07_PAGE,
      path: {rateBps: 1_000_000, rttMs, loss: 0.03},
      panes: SMALL_PANES,
      discovery: 'complete',
    },
  };
}

function textPage(name: string, title: string, page: string): Preset {
  return {
    name,
    title: `${title}; 10 KB/s, 70 ms, 2 %`,
    group: PAPERS,
    source: C03_SOURCE,
    varies: ['path.loss=0 … 0.1'],
    scenario: {
      page,
      path: {rateBps: 80_000, rttMs: 70, loss: 0.02},
      panes: [SMALL_PANES[0], {pipeline: 'udp'}, {pipeline: 'catp'}],
      discovery: 'complete',
    },
  };
}
