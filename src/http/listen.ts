import type { FastifyInstance } from 'fastify';

/** Where a server listens, and what its port comes from. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly portSetting: 'port' | 'content_port';
  /** A sentence in parentheses about where the port comes from, if nobody has set it. */
  readonly portNote?: string;
}

/** Listens. @throws {Error} that names the setting to change, if the system refuses */
export async function listen(server: FastifyInstance, options: ListenOptions): Promise<void> {
  const { host, port } = options;
  try {
    await server.listen({ host, port });
  } catch (error) {
    const text = refusalText((error as NodeJS.ErrnoException).code, options);
    throw text === null ? error : new Error(text, { cause: error });
  }
}

function refusalText(code: string | undefined, options: ListenOptions): string | null {
  const { host, port, portSetting, portNote } = options;
  const portText = `${portSetting} is ${port}${portNote === undefined ? '' : ` (${portNote})`}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${portText}, but another program already listens on this port of ${host} (${code}): end it, ${portNote === undefined ? '' : 'set port to move both, '}or set ${portSetting}`;
    case 'EACCES':
      // The content port fails first. An operator who has set only `port` expects an error about `port`.
      if (portNote !== undefined) {
        return `port is ${port - 1}, and content_port is ${port} (${portNote}), but this process may not listen on these ports (${code}): set port to 1024 or more, or allow it with CAP_NET_BIND_SERVICE`;
      }
      return `${portText}, but this process may not listen on this port (${code}): set ${portSetting} to 1024 or more, or allow it with CAP_NET_BIND_SERVICE`;
    case 'EADDRNOTAVAIL':
      return `host is ${host}, but this machine does not have that address (${code})`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `host is ${host}, but the address of that name cannot be found (${code})`;
    default:
      return null;
  }
}
