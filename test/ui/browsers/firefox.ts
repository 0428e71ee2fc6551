import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram, stop } from './programs.ts';
import { collectOutput, type InputSource, type Remote } from './remote.ts';

/** The names of the program: Debian's, and everyone else's. */
export const FIREFOX = ['firefox-esr', 'firefox'] as const;
const START_MS = 120_000;
const LISTENING = /WebDriver BiDi listening on (ws:\/\/\S+)/;
/** Makes no requests and opens no pages by itself. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.disabledForTesting': true,
  'browser.aboutwelcome.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.search.update': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.startup.page': 0,
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'http://127.0.0.1:9/',
  'signon.rememberSignons': false,
  'toolkit.telemetry.enabled': false,
  // Moving elements are hard to click.
  'ui.prefersReducedMotion': 1,
};

interface Answer {
  id?: number;
  result?: unknown;
  error?: string;
  message?: string;
}

/** Starts Firefox, which speaks WebDriver BiDi without a driver of its own. */
export async function startFirefox(display: string): Promise<Remote> {
  await using parts = new AsyncDisposableStack();
  const profile = mkdtempSync(path.join(tmpdir(), 'coursewire-firefox-'));
  parts.defer(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(path.join(profile, 'user.js'), lines.join(''));
  const firefox = spawn(
    findProgram(...FIREFOX) ?? FIREFOX[0],
    ['--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, env: { ...process.env, DISPLAY: display } },
  );
  parts.defer(() => stop(firefox));
  const output = collectOutput(firefox.stderr);
  const address = await new Promise<string>((resolve, reject) => {
    const fail = () => reject(new Error(`Firefox did not start: ${output()}`));
    const timer = setTimeout(fail, START_MS);
    firefox.once('exit', fail).once('error', reject);
    firefox.stderr?.on('data', () => {
      const [, url] = LISTENING.exec(output()) ?? [];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
  const bidi = parts.use(await Connection.open(`${address}/session`));
  await bidi.send('session.new', { capabilities: {} });
  const { contexts } = await bidi.send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const [window] = contexts;
  if (window === undefined) throw new Error('Firefox has no window');
  return new Firefox(bidi, window.context, parts.move());
}

class Firefox implements Remote {
  readonly #bidi: Connection;
  readonly #context: string;
  readonly #parts: AsyncDisposableStack;

  constructor(bidi: Connection, context: string, parts: AsyncDisposableStack) {
    this.#bidi = bidi;
    this.#context = context;
    this.#parts = parts;
  }

  async open(url: string): Promise<void> {
    await this.#bidi.send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  async call(source: string, args: readonly unknown[]): Promise<unknown> {
    const { result, exceptionDetails } = await this.#bidi.send<{
      result?: { value?: string };
      exceptionDetails?: { text: string };
    }>('script.evaluate', {
      expression: `(async () => JSON.stringify((await (${source})(...${JSON.stringify(args)})) ?? null))()`,
      target: { context: this.#context },
      awaitPromise: true,
    });
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text);
    return JSON.parse(result?.value ?? 'null');
  }

  async perform(sources: readonly InputSource[]): Promise<void> {
    await this.#bidi.send('input.performActions', { context: this.#context, actions: sources });
  }

  async chooseFile(selector: string, file: string): Promise<void> {
    const { nodes } = await this.#bidi.send<{ nodes: { sharedId: string }[] }>(
      'browsingContext.locateNodes',
      { context: this.#context, locator: { type: 'css', value: selector } },
    );
    const [input] = nodes;
    if (input === undefined) throw new Error(`nothing matches ${selector}`);
    await this.#bidi.send('input.setFiles', {
      context: this.#context,
      element: { sharedId: input.sharedId },
      files: [file],
    });
  }

  async countWindows(): Promise<number> {
    const { contexts } = await this.#bidi.send<{ contexts: unknown[] }>('browsingContext.getTree', {
      maxDepth: 0,
    });
    return contexts.length;
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#bidi.send('browsingContext.setViewport', {
      context: this.#context,
      viewport: { width, height },
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

/** Commands and their answers, matched by id. */
class Connection implements Disposable {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<
    number,
    { resolve: (result: unknown) => void; reject: (error: Error) => void }
  >();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))));
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Firefox closed the connection'));
    });
  }

  static async open(url: string): Promise<Connection> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error(`no connection to ${url}`)));
    });
    return new Connection(socket);
  }

  send<T>(method: string, params: object): Promise<T> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer as Promise<T>;
  }

  #receive({ id = 0, result, error, message }: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(`${error}: ${message}`));
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}
