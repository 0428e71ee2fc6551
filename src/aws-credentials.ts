import { SECOND_MS } from './time/units.ts';
import { untilAborted } from './time/until-aborted.ts';
import { within } from './time/within.ts';

/** The failures of AWS services and of credential sources that other credentials may end, by the name of the error. */
export const CREDENTIALS_FAILURE = /Credentials|Token|AccessKey|Signature|RequestExpired|UnrecognizedClient/;

/** Credentials are read again at most this often, because some sources limit requests. */
const READ_AGAIN_MS = 1_000;
/** How long a source of credentials may take. The SDK waits for a `credential_process` without a limit. */
const READ_DEADLINE_MS = 10_000;

type Credentials = (options?: { forceRefresh?: boolean }) => Promise<unknown>;

type Middleware = (next: (args: unknown) => Promise<unknown>) => (args: unknown) => Promise<unknown>;

/** The parts of a client of the AWS SDK that matter here. */
interface AwsClient {
  readonly config: {
    credentials: Credentials;
    credentialDefaultProvider: (input: object) => Credentials;
  };
  readonly middlewareStack: { add(middleware: Middleware, options: { step: 'initialize' }): void };
  send: (command: unknown, options?: { abortSignal?: AbortSignal }) => Promise<unknown>;
}

/** The source of credentials did not answer in time. */
class CredentialsLateError extends Error {
  override name = 'CredentialsLateError';
}

/**
 * Makes a client read its credentials again if a request fails because of them, and repeat the request once. The SDK
 * keeps the contents of credentials files, and credentials without an expiration time, until the process ends. So
 * without this, credentials that someone has replaced in a file would need a restart. A source of credentials that
 * hangs makes requests fail after `deadlineMs`, or as soon as their signal is aborted.
 * @param deadlineMs how long a source may take, in milliseconds
 */
export function readCredentialsAgain(client: object, deadlineMs = READ_DEADLINE_MS): void {
  const { config, middlewareStack } = client as AwsClient;
  // Every client has its own provider, and without `ignoreCache`, all clients share what was read first.
  const source = config.credentialDefaultProvider({
    ...config,
    parentClientConfig: config,
    ignoreCache: true,
  });
  config.credentials = (options) => inTime(source(options), deadlineMs);
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<unknown> = Promise.resolve();
  const readAgain = () => {
    if (performance.now() - readAt < READ_AGAIN_MS) return reading;
    readAt = performance.now();
    reading = config.credentials({ forceRefresh: true }).catch((error: unknown) => {
      if (error instanceof CredentialsLateError) throw error;
      // If they cannot be read, the repeated request fails for that reason.
    });
    return reading;
  };
  middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const isOver = error instanceof CredentialsLateError;
        if (isOver || !(error instanceof Error && CREDENTIALS_FAILURE.test(error.name))) throw error;
        await readAgain();
        return await next(args);
      }
    },
    { step: 'initialize' },
  );
  endWithSignal(client as AwsClient);
}

async function inTime(reading: Promise<unknown>, deadlineMs: number): Promise<unknown> {
  return await within(deadlineMs, reading, () => {
    const limit = `${deadlineMs / SECOND_MS} s`;
    throw new CredentialsLateError(`the source of the AWS credentials did not respond within ${limit}`);
  });
}

/** Makes a request fail once its signal is aborted. The SDK ignores the signal while it reads credentials. */
function endWithSignal(client: AwsClient): void {
  const send = client.send.bind(client);
  client.send = async (command, options) => {
    const { abortSignal } = options ?? {};
    if (abortSignal?.aborted) throw abortErrorOf(abortSignal);
    try {
      return await untilAborted(send(command, options), abortSignal);
    } catch (error) {
      if (abortSignal?.aborted && error === abortSignal.reason) throw abortErrorOf(abortSignal);
      throw error;
    }
  };
}

/** An error like the SDK's for an aborted request. */
function abortErrorOf({ reason }: AbortSignal): Error {
  return Object.assign(new Error('the request was aborted', { cause: reason }), { name: 'AbortError' });
}
