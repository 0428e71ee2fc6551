/**
 * A reporter of `node --test` that writes a JSON array per line: `["passed", name]` for each test that ran and passed, and
 * `["failed", name, reason]` for each that failed. Skipped tests and groups are left out, so nothing is written if nothing ran.
 *
 * @param {AsyncIterable<import('node:test/reporters').TestEvent>} events
 */
export default async function* testResults(events) {
  for await (const { type, data } of events) {
    if (data.details?.type === 'suite' || data.skip !== undefined) continue;
    if (type === 'test:pass') yield `${JSON.stringify(['passed', data.name])}\n`;
    if (type === 'test:fail')
      yield `${JSON.stringify(['failed', data.name, reasonOf(data.details.error.cause)])}\n`;
  }
}

/**
 * The first lines of the messages of an error and its causes.
 *
 * @param {unknown} error
 * @returns {string}
 */
function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  const line = error.message.trim().split('\n', 1)[0] ?? '';
  return error.cause === undefined ? line : `${line}: ${reasonOf(error.cause)}`;
}
