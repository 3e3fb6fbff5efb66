import {qlog as qlogOf, usesPacketBytes, type Vantage} from '../../../../app/export/qlog.ts';
import {capturedPackets} from '../../../../app/run/packets/captureFile.ts';
import {capture} from '../../../engine/load.ts';
import {program} from '../../../files/program.ts';
import {command} from '../../command.ts';
import {OUT_COMPRESSED} from '../../options/output.ts';
import {SCENARIO_OPTIONS} from '../../options/scenario.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {loadPane, PANE, type PaneSettings, type Prepared, paneSettings, savePane} from './saved.ts';

interface QlogSettings extends PaneSettings {
  readonly vantage: Vantage;
}

export const qlog = command({
  name: 'qlog',
  group: 'Save a load for other programs',
  summary: 'Save what the client or the server of one pane saw, for qvis',
  usage: ['--out FILE [options]'],
  options: {
    ...SCENARIO_OPTIONS,
    pane: PANE,
    vantage: {type: 'string', value: 'server|client', help: 'The end whose view is saved. The default is server.'},
    out: {
      ...OUT_COMPRESSED,
      help:
        'The file to write. qvis expects a name that ends in .sqlog. The file is compressed if its name ends in .gz; ' +
        '- is standard output.',
    },
    ...ACCESS_OPTIONS,
  },
  details: `
The command computes the load of one pane and saves it as a qlog. The file is a JSON text sequence, follows
draft-ietf-quic-qlog-main-schema-14, and has the events that qvis (qvis.quictools.info) needs: the packets that were
sent and received, the packets that the sender considers lost, and the sender's congestion window, slow-start threshold,
bytes in flight and SRTT.

A qlog of HTTP/3 has the QUIC packets with all their frames, and the HTTP/3 frames. TCP and SCTP do not number packets,
so the packets of each end are counted from 0. The streams 0, 4, 8 … that qvis shows are the streams 0, 1, 2 … of SCTP,
or 1, 3, 5 … of HTTP/2. If there are several connections, the events of each are a group. For each packet that the path
dropped, there is an event simulation:marker.
`,
  examples: [
    {
      does: 'See the second pane in qvis',
      line: 'interleave qlog --scenario n07-movie --pane 2 --out sctp.sqlog',
    },
  ],
  read({values}): QlogSettings {
    const vantage = VANTAGES.find(each => each === (values.vantage ?? 'server'));
    if (vantage === undefined) {
      throw new UsageError(`--vantage is ${values.vantage || 'empty'}: must be ${VANTAGES.join(' or ')}`);
    }
    return {...paneSettings(values), vantage};
  },
  run: (settings, context) => savePane(settings, context, load => encode(load, settings)),
});

function encode(load: Prepared, {pane: number, vantage}: QlogSettings): Uint8Array {
  const {page, scenario} = load;
  const {trace, title, document} = loadPane(load, number);
  const bytes = usesPacketBytes(trace)
    ? {packets: capturedPackets(capture(page, scenario, scenario.seed, number))}
    : {};
  return new TextEncoder().encode(qlogOf(trace, {vantage, title, scenario: document, program: program(), ...bytes}));
}

const VANTAGES: readonly Vantage[] = ['client', 'server'];
