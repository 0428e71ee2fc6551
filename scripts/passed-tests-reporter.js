/**
 * A reporter of `node --test` that writes the name of each test that ran and passed, one per line. Skipped tests and groups
 * are left out, so nothing is written if nothing ran.
 *
 * @param {AsyncIterable<import('node:test/reporters').TestEvent>} events
 */
export default async function* passedTests(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' || data.details.type === 'suite' || data.skip !== undefined) continue;
    yield `${data.name}\n`;
  }
}
