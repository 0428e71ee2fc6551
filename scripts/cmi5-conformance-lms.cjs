/**
 * The functions that the cmi5 conformance tests call. Each sends a request to the bridge of cmi5-conformance.ts.
 * CommonJS, because the tests load it with `require`.
 */
// biome-ignore lint/style/useNodejsImportProtocol: the tests' version of Jest does not support `node:`.
const http = require('http');

const BRIDGE = process.env.COURSEWIRE_BRIDGE;
const SUITE = process.env.COURSEWIRE_SUITE;

function ask(path, body, contentType = 'application/json') {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': contentType, 'content-length': body.length };
    const request = http.request(BRIDGE + path, { method: 'POST', headers }, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString());
        if (answer.invalid !== undefined) {
          const { InvalidPackageError } = require(`${SUITE}/lib/errors.js`);
          reject(new InvalidPackageError(answer.invalid));
        } else if (answer.error !== undefined) reject(new Error(answer.error));
        else resolve(answer.value);
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

const call = (path, value) => ask(path, Buffer.from(JSON.stringify(value ?? null)));

module.exports = {
  setup: async () => {},
  teardown: async () => {},
  getLrsEndpoint: () => process.env.COURSEWIRE_LRS,
  getLrsAuthHeader: () => process.env.COURSEWIRE_LRS_AUTHORIZATION,
  async importCourse(stream, contentType, filename) {
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return await ask(`/import?name=${encodeURIComponent(filename)}`, Buffer.concat(chunks), contentType);
  },
  getLaunchUrl: (courseId, unit, actor, { registration, launchMode } = {}) =>
    call('/launch', { courseId, unit, actor, registration, launchMode }),
  cleanup: async () => {},
  hasWaive: () => true,
  waiveAU: (registrationId, unit, reason) => call('/waive', { registrationId, unit, reason }),
  hasAbandon: () => true,
  abandonSession: (sessionId) => call('/abandon', { sessionId }),
};
