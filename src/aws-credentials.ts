/** The failures of AWS services and of credential sources that other credentials may end, by the name of the error. */
export const CREDENTIALS_FAILURE = /Credentials|Token|AccessKey|Signature|RequestExpired|UnrecognizedClient/;

/** Credentials are read again at most this often, because some sources limit requests. */
const READ_AGAIN_MS = 1_000;

type Middleware = (next: (args: unknown) => Promise<unknown>) => (args: unknown) => Promise<unknown>;

/** The parts of a client of the AWS SDK that matter here. */
interface AwsClient {
  readonly config: {
    credentials: (options?: { forceRefresh?: boolean }) => Promise<unknown>;
    credentialDefaultProvider: (input: object) => (options?: { forceRefresh?: boolean }) => Promise<unknown>;
  };
  readonly middlewareStack: { add(middleware: Middleware, options: { step: 'initialize' }): void };
}

/**
 * Makes a client read its credentials again if a request fails because of them, and repeat the request once. The SDK
 * keeps the contents of credentials files, and credentials without an expiration time, until the process ends. So
 * without this, credentials that someone has replaced in a file would need a restart.
 */
export function readCredentialsAgain(client: object): void {
  const { config, middlewareStack } = client as AwsClient;
  // Every client has its own provider, and without `ignoreCache`, all clients share what was read first.
  config.credentials = config.credentialDefaultProvider({
    ...config,
    parentClientConfig: config,
    ignoreCache: true,
  });
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<unknown> = Promise.resolve();
  const readAgain = () => {
    if (performance.now() - readAt < READ_AGAIN_MS) return reading;
    readAt = performance.now();
    // If they cannot be read, the repeated request fails for that reason.
    reading = config.credentials({ forceRefresh: true }).catch(() => undefined);
    return reading;
  };
  middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (!(error instanceof Error && CREDENTIALS_FAILURE.test(error.name))) throw error;
        await readAgain();
        return await next(args);
      }
    },
    { step: 'initialize' },
  );
}
