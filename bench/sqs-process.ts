import { buildApp } from 'fauxqs';

/** An SQS-compatible server for the bench: sends its address, ends with the bench, and answers how many requests it had. */

const server = buildApp({ logger: false });
let requests = 0;
server.addHook('onRequest', async () => {
  requests += 1;
});
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.(requests));
process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
