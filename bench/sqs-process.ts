import { buildApp } from 'fauxqs';

/** An SQS-compatible server for the bench, which tells its address and ends with it. */

const server = buildApp({ logger: false });
process.on('disconnect', () => process.exit());
process.send?.(await server.listen({ host: '127.0.0.1', port: 0 }));
