import { buildApp } from 'fauxqs';

/** An SQS-compatible server for the benchmark. It sends its address, ends with the benchmark, and reports the number of requests. */

const server = buildApp({ logger: false });
let requests = 0;
server.addHook('onRequest', async () => {
  requests += 1;
});
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.(requests));
process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
