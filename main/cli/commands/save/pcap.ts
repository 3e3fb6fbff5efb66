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
The page is loaded, and the packets of one pane become a pcapng capture with times in nanoseconds. The capture is taken where packets are sent, so it has the
dropped packets too, each with a comment that says why it did not arrive.

Servers with TLS, and those of QUIC, are at port 443. Nothing is encrypted. Wireshark shows the records of TLS; of QUIC
it shows the packets' headers alone, because there are no keys that it could use. interleave qlog saves QUIC's frames.
`,
  examples: [
    {
      does: 'Open the packets of the second pane in Wireshark',
      line: 'interleave pcap --scenario n07-movie --pane 2 --out sctp.pcapng',
    },
  ],
  read: ({values}): PaneSettings => paneSettings(values),
  run: (settings, around) =>
    savePane(settings, around, ({page, scenario}) => capture(page, scenario, scenario.seed, settings.pane)),
});
