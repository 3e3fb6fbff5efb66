// This script simulates one TCP connection in the network core, without a page, and prints how many packets the path
// loses. Run it with:
//
//   node examples/core.mjs
import {Simulation} from '../native/addon/index.js';

const link = {rateBps: 1e6, delayNs: 175e6, loss: {model: 'bernoulli', rate: 0.03}, queuePackets: 1000};
const run = new Simulation({seed: 1, path: {down: link, up: link, mtuBytes: 1500}, record: {packets: true}});
const {client, server} = run.openTcp({client: {profile: 'classic'}, server: {profile: 'classic'}});
run.connect(client);
for (let events = run.advance(); events.length > 0; events = run.advance()) {
  for (const event of events) {
    if (event.type === 'connected' && event.endpoint === server) run.write(server, 0, new Uint8Array(100_000));
    if (event.type === 'readable') run.read(event.endpoint, event.stream);
  }
}
console.log(run.packets().fate.filter(fate => fate === 2).length, 'packets lost by', run.nowNs / 1e9, 's');
