import { createSocket, type RemoteInfo } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';

/** The response of a name server for a name: its addresses, no such name, no response, a failure, or a refusal. */
export type NameBehaviour = readonly string[] | 'absent' | 'silent' | 'broken' | 'refused';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const CODES = { ok: 0, broken: 2, absent: 3, refused: 5 } as const;
const RESPONSE_FLAGS = 0x8180;
const POINTER_TO_NAME = 0xc00c;

/** A real DNS server over UDP on 127.0.0.1. Names are lower-case, without a dot at the end; the root is ''. */
export class NameServer implements AsyncDisposable {
  /** The requested names, with repetitions. */
  readonly asked: string[] = [];
  readonly #socket = createSocket('udp4');
  readonly #behaviourOf: (name: string) => NameBehaviour;

  /** Not listening yet: see {@link startNameServer}. */
  constructor(behaviourOf: (name: string) => NameBehaviour) {
    this.#behaviourOf = behaviourOf;
    this.#socket.on('message', (query, from) => this.#answer(query, from));
  }

  /** Address and port, in the form that a resolver accepts. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  async listen(): Promise<void> {
    this.#socket.bind(0, '127.0.0.1');
    await once(this.#socket, 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.close();
    await closed;
  }

  #answer(query: Buffer, { port, address }: RemoteInfo): void {
    const { name, type, end } = questionOf(query);
    this.asked.push(name);
    const behaviour = this.#behaviourOf(name);
    if (behaviour === 'silent') return;
    const addresses = typeof behaviour === 'string' ? [] : behaviour;
    const fitting = addresses.filter((each) => typeOf(each) === type);
    const head = Buffer.from(query.subarray(0, end));
    head.writeUInt16BE(RESPONSE_FLAGS | (typeof behaviour === 'string' ? CODES[behaviour] : CODES.ok), 2);
    head.writeUInt16BE(fitting.length, 6);
    head.writeUInt32BE(0, 8);
    this.#socket.send(Buffer.concat([head, ...fitting.map(recordOf)]), port, address);
  }
}

/** Starts a name server; `behaviourOf` gets names in lower case, without a dot at the end. */
export async function startNameServer(behaviourOf: (name: string) => NameBehaviour): Promise<NameServer> {
  const server = new NameServer(behaviourOf);
  await server.listen();
  return server;
}

/** The source of a module that a service runs before the program, so that it asks only the name server at this address. */
export const askOnly = (address: string): string => `import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
const { Resolver } = dns;
dns.Resolver = class extends Resolver {
  constructor(options) {
    super(options);
    this.setServers(['${address}']);
  }
};
syncBuiltinESMExports();`;

/** Makes this name server the only one of the resolvers that the process creates until the end of the scope. */
export function useOnly(server: NameServer): Disposable {
  const { Resolver } = dns;
  const set = (used: typeof Resolver) => {
    dns.Resolver = used;
    syncBuiltinESMExports();
  };
  set(
    class extends Resolver {
      constructor(...options: ConstructorParameters<typeof Resolver>) {
        super(...options);
        this.setServers([server.address]);
      }
    },
  );
  return { [Symbol.dispose]: () => set(Resolver) };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function typeOf(address: string): number {
  return isIP(address) === 4 ? TYPE_A : TYPE_AAAA;
}

function recordOf(address: string): Buffer {
  const data =
    isIP(address) === 4 ? Buffer.from(address.split('.').map(Number)) : Buffer.from(fullIpv6(address), 'hex');
  const record = Buffer.alloc(12);
  record.writeUInt16BE(POINTER_TO_NAME, 0);
  record.writeUInt16BE(typeOf(address), 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

/** An IPv6 address as 32 hexadecimal digits. */
function fullIpv6(address: string): string {
  const [front = '', back = ''] = address.split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: 8 - groups(front).length - groups(back).length }, () => '0');
  return [...groups(front), ...(address.includes('::') ? zeros : []), ...groups(back)]
    .map((group) => group.padStart(4, '0'))
    .join('');
}
