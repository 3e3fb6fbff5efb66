import {capture} from '../../../engine/load.ts';
import {command} from '../../command.ts';
import {OUT_FILE} from '../../options/output.ts';
import {SCENARIO_OPTIONS} from '../../options/scenario.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {PANE, type PaneSettings, paneSettings, savePane} from './saved.ts';

export const pcap = command({
  name: 'pcap',
  group: 'Save a load for other programs',
  summary: 'Save the packets of one pane, for Wireshark',
  usage: ['--out FILE [options]'],
  options: {...SCENARIO_OPTIONS, pane: PANE, out: OUT_FILE, ...ACCESS_OPTIONS},
  details: `
The command computes the load of one pane and saves its packets as a pcapng capture with times in nanoseconds. Packets
are captured where they are sent. The capture therefore has the dropped packets, too, each with a comment that says why
it did not arrive. The datagrams of udp and catp panes, which nothing acknowledges, have a comment that says when they
arrived.

Servers with TLS or QUIC use port 443. Nothing is encrypted. Wireshark shows the records of TLS. For QUIC and DTLS it
shows only the headers of packets, because it needs keys to show more, and there are none. interleave qlog saves the
frames of QUIC. interleave open reads the file with all contents.
`,
  examples: [
    {
      does: 'Open the packets of the second pane in Wireshark',
      line: 'interleave pcap --scenario n07-movie --pane 2 --out sctp.pcapng',
    },
  ],
  read: ({values}): PaneSettings => paneSettings(values),
  run: (settings, context) =>
    savePane(settings, context, ({page, scenario}) => capture(page, scenario, scenario.seed, settings.pane)),
});
