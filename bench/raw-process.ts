import { Agent } from 'undici';
import { exampleMessage } from './example-message.ts';

/** The baseline: bare undici posts the same body as fast as it can until it is stopped. */

const [url = '', connections = '1'] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const agent = new Agent({ connections: Number(connections) });
const body = exampleMessage({ id: 1, target_url: url });
const headers = { 'content-type': 'application/json' };

async function postOneAfterAnother(): Promise<never> {
  while (true) {
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    await answer.body.dump();
  }
}

process.on('disconnect', () => process.exit());
for (let n = 0; n < Number(connections); n++) void postOneAfterAnother();
