// This program runs in the network namespace whose packets take the emulated path. It starts Firefox with the profile
// that the first argument names, and connects to Firefox's WebDriver BiDi on the namespace's own loopback. It passes
// messages from standard input to Firefox, and from Firefox to standard output, one message a line. Firefox ends when
// standard input ends.
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {WebSocket} from 'ws';

const [, , profile = ''] = process.argv;
const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'];
const firefox = spawn('firefox-esr', args, {stdio: ['ignore', 'ignore', 'pipe']});
firefox.once('exit', () => process.exit(1));
const address = await new Promise(resolve => {
  createInterface({input: firefox.stderr}).on('line', line => {
    const [, found] = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(line) ?? [];
    if (found !== undefined) resolve(found);
  });
});
const socket = new WebSocket(`${address}/session`);
await once(socket, 'open');
socket.on('message', message => process.stdout.write(`${message}\n`));
createInterface({input: process.stdin})
  .on('line', line => socket.send(line))
  .once('close', () => firefox.kill());
